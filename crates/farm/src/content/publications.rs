//! The thirty publications, two for each topic. Feeds beyond thirty are offshoots of these.

use super::Publication;

macro_rules! publications {
    ($($topic:literal $title:literal, $tagline:literal, $author:literal $(, $podcast:ident)?;)*) => {
        pub(crate) const PUBLICATIONS: &[Publication] = &[$(Publication {
            title: $title,
            tagline: $tagline,
            author: $author,
            topic: $topic,
            podcast: publications!(@ $($podcast)?),
        },)*];
    };
    (@ podcast) => { true };
    (@) => { false };
}

publications! {
    0 "Slow Compiler", "Long reads about short programs", "Ines Varga";
    1 "Salt & Tide", "Small boats, cold water, honest charts", "Torvald Eck";
    2 "The Branch Line", "Trains, ferries and the hours between them", "Miriam Oduya";
    3 "Second Sowing", "Seeds kept, swapped and grown again", "Pella Lindqvist";
    4 "Faint Objects", "What a modest telescope shows on a good night", "Radek Summers";
    5 "Crumb and Crust", "Flour, water, salt and patience", "Odile Marchetti";
    6 "Hairline", "Letters, paper and the books they end in", "Jonas Abery";
    7 "Corner Plot", "How streets are made and unmade", "Leila Fontaine";
    8 "Isobar", "Weather explained the day after", "Gunnar Whitlock";
    9 "Quiet Move", "Chess for people who like to think twice", "Anneke Sorel";
    10 "Cone Ten", "Clay, glaze and what the kiln decided", "Tomo Hallam";
    11 "The Harrow Vale Courier", "Council, clinic, school and road", "Courier newsroom";
    12 "Low Register", "Music close up: scores, rooms, instruments", "Bettina Crowe", podcast;
    13 "Maintainer's Desk", "Keeping other people's software alive", "Samir Novak";
    14 "Granny Gear", "Riding slowly, far, in all weathers", "Ada Breck";
    0 "Register Pressure", "A newsletter on code generation", "Hollis Tan";
    1 "Neap", "The tide tables, and how to live by them", "Carys Moy";
    2 "Timetable Notes", "Connections, delays and the art of waiting", "Emil Rask";
    3 "The Cold Frame", "A northern garden, week by week", "Greta Ambrose";
    4 "Dark Sky Log", "Observing reports from hill and roof", "Ioana Pell", podcast;
    5 "Levain Letters", "A bakery writes to its customers", "Paul Ferrant";
    6 "Quarto", "On making, mending and reading books", "Winifred Loess";
    7 "Kerb", "Pavements, buses, benches and budgets", "Kwame Ostrander";
    8 "Rain Gauge", "Numbers from a back-garden station", "Sunniva Hale";
    9 "Endgame Evening", "One position, carefully", "Viktor Anselm";
    10 "Wheel and Hand", "A potter's working notes", "Nell Quarry";
    11 "Ward Six", "One councillor's ward, everyone's business", "Dorothea Pike";
    12 "Tuning Fork", "Instruments and the people who repair them", "Luca Brandt";
    13 "Patch Week", "Releases, reviews and retirements", "Yuki Farrow";
    14 "Chainline", "Frames, wheels and workshop sense", "Benedikt Shaw";
}
