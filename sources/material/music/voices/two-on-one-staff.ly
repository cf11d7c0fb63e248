\version "2.24.0"

\score {
  \new Staff <<
    \key a \minor
    \time 3/4
    \new Voice \relative c'' {
      \voiceOne
      e4 d c | b2 a4 | c4. d8 e4 | e2. |
      f4 e d | e4 c a | b4. a8 gis4 | a2. \bar "|."
    }
    \new Voice \relative c' {
      \voiceTwo
      a'2 e4 | gis2 e4 | a2 g4 | c4 b a |
      d,2 f4 | c4 e f | d2 e4 | c2. \bar "|."
    }
  >>
  \layout { }
}
