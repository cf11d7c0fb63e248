\version "2.24.0"

\score {
  <<
    \new ChordNames \chordmode { g2. | e2.:m | c2. | d2.:7 | g2.:/b | c2. | a4.:m d4.:7 | g2. | }
    \new Staff \relative c'' {
      \key g \major
      \time 6/8
      b4 b8 b8 a g | g4 e8 e4. | e8 g c c8 b a | a4.~ a4 r8 |
      d4 d8 d8 c b | e4 c8 c4 a8 | c8 b a fis8 a d, | g4.~ g4 r8 \bar "|."
    }
  >>
  \layout { }
}
