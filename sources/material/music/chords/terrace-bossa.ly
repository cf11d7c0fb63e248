\version "2.24.0"

\header {
  title = "Terrace Bossa"
}

\score {
  <<
    \new ChordNames \chordmode {
      d1:m7 | g1:7 | c1:maj7 | a1:7 |
      d1:m7 | g2:sus4 g2:7 | c1:6 | c1:6 |
    }
    \new Staff \relative c'' {
      \key c \major
      \time 4/4
      r8 a4 f8~ f4 a8 c~ | c8 b4 g8~ g2 | r8 e4 g8~ g4 b8 e,~ | e4 cis4 g'2 |
      r8 f4 a8~ a4 c8 f~ | f8 e4 d8 c4 b4 | a4 g8 e8~ e2~ | e2. r4 \bar "|."
    }
  >>
  \layout { }
}
