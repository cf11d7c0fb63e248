\version "2.24.0"

\header {
  title = "Canon for Two"
}

upper = \relative c'' {
  \key f \major
  \time 4/4
  c4 a f g | a4 bes8 c d4 c | bes4 g a f | g2 f |
  a4 c8 bes a4 g | f2 r2 \bar "|."
}

lower = \relative c' {
  \key f \major
  \time 4/4
  r1 | c4 a f g | a4 bes8 c d4 c | bes4 g a f |
  c'2 c,2 | f2 r2 \bar "|."
}

\score {
  \new StaffGroup <<
    \new Staff \with { instrumentName = "Flute" } \upper
    \new Staff \with { instrumentName = "Viola" } { \clef alto \lower }
  >>
  \layout { }
}
