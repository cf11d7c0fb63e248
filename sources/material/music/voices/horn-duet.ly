\version "2.24.0"

first = \relative c' {
  \key es \major
  \time 2/4
  \tempo "Allegro" 4 = 126
  es8\f g bes g | c8 bes g4 | f8 g as f | bes4 r4 |
  es,8\p g bes g | c8 d es4 | d8 bes c d | es4-. r4 \bar "|."
}

second = \relative c' {
  \key es \major
  \time 2/4
  es8 es g es | as8 g es4 | d8 es f d | d4 r4 |
  es8 es g es | as8 as g4 | f8 d es f | g4-. r4 \bar "|."
}

\score {
  \new StaffGroup <<
    \new Staff \with { instrumentName = "Horn 1" } \first
    \new Staff \with { instrumentName = "Horn 2" } \second
  >>
  \layout { }
}
