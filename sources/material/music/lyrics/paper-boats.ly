\version "2.24.0"

\header {
  title = "Paper Boats"
}

tune = \relative c' {
  \key c \major
  \time 4/4
  \tempo 4 = 96
  c4 e g e | a4 g e2 | f4 a g e | d2. r4 |
  c4 e g e | a4 c b2 | a4 g8( f) e4 d | c2. r4 \bar "|."
}

verseOne = \lyricmode {
  \set stanza = "1."
  Fold the let -- ter, fold it small, set it on the stream.
  Down it goes be -- low the wall, light -- er than a dream.
}

verseTwo = \lyricmode {
  \set stanza = "2."
  Past the mill and past the fair, un -- der -- neath the moon,
  an -- y shore that finds it there, write and an -- swer soon.
}

\score {
  <<
    \new Staff \new Voice = "tune" \tune
    \new Lyrics \lyricsto "tune" \verseOne
    \new Lyrics \lyricsto "tune" \verseTwo
  >>
  \layout { }
}
