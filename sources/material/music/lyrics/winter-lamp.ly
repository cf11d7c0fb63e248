\version "2.24.0"

\score {
  <<
    \new Staff \new Voice = "voice" \relative c' {
      \key e \minor
      \time 3/4
      \partial 4 b4 |
      e4. fis8 g4 | b2 a4 | g4( fis) e | fis2 b,4 |
      e4. fis8 g4 | c2 b4 | a8( g) fis4 dis | e2 \bar "|."
    }
    \new Lyrics \lyricsto "voice" {
      The lamp in the win -- dow burns __ low to -- night,
      the snow on the path gives its own light.
    }
  >>
  \layout { }
}
