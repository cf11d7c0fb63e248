\version "2.24.0"

\score {
  \new Staff \relative c'' {
    \key d \major
    \time 6/8
    \partial 8 a8 |
    \repeat volta 2 {
      d8 e fis fis e d | e8 fis g g fis e | fis8 a fis g e cis |
    }
    \alternative {
      { d4. d4 a8 | }
      { d4. d4 fis8 | }
    }
    \break
    a8 fis d a' fis d | g8 e cis g' e cis | fis8 d b e cis a | d4.-> d4-. r8 \bar "|."
  }
  \layout { }
}
