\version "2.24.0"

\header {
  title = "Slow Train Blues"
}

harmonies = \chordmode {
  f1:7 | bes1:7 | f1:7 | c2:m7 f2:7 |
  bes1:7 | b1:dim7 | f1:7 | d1:7 |
  g1:m7 | c1:7 | a2:m7 d2:7 | g2:m7 c2:7 |
}

tune = \relative c' {
  \key f \major
  \time 4/4
  \tempo "Slow swing"
  r8 c8 f as a4 c | r8 as8 f d bes2 | r8 c8 f as a4 f | es4 g a2 |
  \break
  r8 d,8 f as bes4 d | r8 b8 as f d2 | c4 es8 e f4 a | fis2. r4 |
  \break
  g4 bes d f | e8 d c bes g2 | a4 c fis, a | g4 bes e, c \bar "|."
}

\score {
  <<
    \new ChordNames \harmonies
    \new Staff \tune
  >>
  \layout { }
}
