\version "2.24.0"

\header {
  title = "Morning Waltz"
}

\score {
  \new Staff \relative c'' {
    \key g \major
    \time 3/4
    \tempo "Gently" 4 = 112
    d4\mp b g | a2 c4 | b4.( c8 d4) | a2. |
    d4 b g | e'2 c4 | b4 a8( g) fis4 | g2. | \break
    fis4\< a c | e2 d4\! | c4( b) a | b2. |
    g4 b d | g2\f e4 | d4.\> b8 a4\! | g2.\p \bar "|."
  }
  \layout { }
}
