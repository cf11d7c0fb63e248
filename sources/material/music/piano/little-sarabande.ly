\version "2.24.0"

\header {
  title = "Little Sarabande"
}

right = \relative c'' {
  \key d \minor
  \time 3/4
  <f, a>4 <f a d>4. e'8 | <e, g cis>2. | <d f d'>4 <f bes d>4. c'8 | <f, a c>2. |
  \break
  <g bes>4 <g bes e>4. d'8 | <f, a d>2 <e a cis>4 | <d f d'>4 <e g cis>4. d'8 | <f, a d>2. \bar "|."
}

left = \relative c {
  \clef bass
  \key d \minor
  \time 3/4
  d4 d'2 | a4 a,2 | bes4 bes'2 | f4 f,2 |
  g4 g'2 | a2 a,4 | bes4 a2 | d2. \bar "|."
}

\score {
  \new PianoStaff <<
    \new Staff \right
    \new Staff \left
  >>
  \layout { }
}
