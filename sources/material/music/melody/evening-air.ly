\version "2.24.0"

\header {
  title = "Evening Air"
  composer = "for solo oboe"
}

\score {
  \new Staff \relative c'' {
    \key d \minor
    \time 4/4
    \tempo "Lento cantabile"
    a2\p( d4 e | f4. e8 d2) | \tuplet 3/2 { g8( f e) } f4 e2\trill | d1 |
    r4 a'4\mf( g f | e4. d8 cis4) a | bes8( a) g( f) e4 d' | cis2\fermata r2 | \break
    d4.(\p e16 f) e4 a, | bes2( a) | \grace { g16 a } g4\< f e cis'\! | d2.\f r4 |
    \acciaccatura e8 d4-- d-- r8 a8( f d) | e2\> cis4 e | d1\pp\fermata \bar "|."
  }
  \layout { }
}
