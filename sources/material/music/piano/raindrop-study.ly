\version "2.24.0"

\score {
  \new PianoStaff <<
    \new Staff = "right" \relative c'' {
      \key as \major
      \time 2/4
      \tempo "Andantino"
      c4\p( es | des4 c) | bes4( des | c2) |
      as4(\< c | f4\! es) | des8\>( c bes g\! | as2) \bar "|."
    }
    \new Staff = "left" \relative c {
      \clef bass
      \key as \major
      \time 2/4
      as16\sustainOn es' c' es, as, es' c' es,\sustainOff | bes16 es des' es, as, es' c' es, |
      g,16 es' bes' es, g, es' bes' es, | as,16 es' c' es, as,4 |
      f'16 c' as' c, f, c' as' c, | des,16 as' f' as, c, as' es' as, |
      es16 bes' g' bes, es, bes' des bes | as,8 es' as4 \bar "|."
    }
  >>
  \layout { }
}
