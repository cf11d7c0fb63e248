\version "2.24.0"

\header {
  title = "Round of Hours"
}

soprano = \relative c'' {
  \key g \major
  \time 4/4
  g4 g a b | c2 b4 a | b4. c8 d4 c | b2 a2 | g1 \bar "|."
}

alto = \relative c' {
  \key g \major
  \time 4/4
  d4 d fis g | a2 g4 fis | g4. a8 b4 a | g2 fis2 | d1 \bar "|."
}

words = \lyricmode {
  One by one the hours go round, bells a -- bove the sleep -- ing town.
}

\score {
  \new ChoirStaff <<
    \new Staff <<
      \new Voice = "soprano" { \voiceOne \soprano }
      \new Voice = "alto" { \voiceTwo \alto }
    >>
    \new Lyrics \lyricsto "soprano" \words
  >>
  \layout { }
}
