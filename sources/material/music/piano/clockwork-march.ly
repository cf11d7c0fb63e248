\version "2.24.0"

\header {
  title = "Clockwork March"
}

right = \relative c'' {
  \key c \major
  \time 4/4
  \tempo "Strict time" 4 = 120
  g8-.\f g-. c4-> e8-. d-. c4 | d8 e f d b4 g | c8-.\p c-. e4-> g8-. f-. e4 | d8( c b a) g2 |
  <e g c>4 <f a c> <d g b> <e g c> | a16 b c d e8 c b4 d | <f, b d>4-.\ff <e g c>-. r4 g4 | <e c'>1 \bar "|."
}

left = \relative c {
  \clef bass
  \key c \major
  \time 4/4
  c4 g' c, g' | g,4 g' g, g' | c,4 g' c, g' | f4 fis g2 |
  c,4 f g c | f,4 a g f | g4-. c,4-. r4 g4 | <c c,>1 \bar "|."
}

\score {
  \new PianoStaff <<
    \new Staff \right
    \new Staff \left
  >>
  \layout { }
}
