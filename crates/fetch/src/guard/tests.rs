//! The guard, row by row.

use super::*;
use proptest::prelude::*;

fn verdict(address: &str) -> Result<(), Refusal> {
    check_url(&Url::parse(address).expect(address), &AllowList::default(), &[])
}

fn refused_ip(text: &str) -> bool {
    let ip: IpAddr = text.parse().expect(text);
    check_addr(SocketAddr::new(ip, 80), &AllowList::default(), &[]) == Err(Refusal::Address)
}

fn neighbours(block: &Block) -> (Option<IpAddr>, Option<IpAddr>) {
    match block.ends() {
        (IpAddr::V4(first), IpAddr::V4(last)) => (
            first.to_bits().checked_sub(1).map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits))),
            last.to_bits().checked_add(1).map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits))),
        ),
        (IpAddr::V6(first), IpAddr::V6(last)) => (
            first.to_bits().checked_sub(1).map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits))),
            last.to_bits().checked_add(1).map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits))),
        ),
        _ => (None, None),
    }
}

#[test]
fn e1_private_and_special_targets_are_refused_with_one_text() {
    for address in [
        "http://127.0.0.1:22/",
        "http://127.0.0.1/",
        "http://10.0.0.1/",
        "http://10.0.0.1:6379/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://[fe80::1]/",
        "http://[fc00::1]/",
        "http://0.0.0.0/",
        "http://100.64.0.1/",
        "http://198.18.0.1/",
        "http://255.255.255.255/",
        "http://224.0.0.1/",
        "https://192.168.1.1:8443/",
        "http://172.31.255.255/",
        "http://[ff02::1]/",
        "http://[::]/",
    ] {
        assert_eq!(verdict(address), Err(Refusal::Address), "{address}");
    }
    assert!(!Refusal::Address.to_string().contains("10.0"), "the text names no address");
}

#[test]
fn e1_every_row_of_the_tables_is_refused_from_end_to_end_and_its_neighbours_by_their_own_rows() {
    for block in REFUSED_V4.iter().chain(REFUSED_V6) {
        let (first, last) = block.ends();
        assert!(is_refused(first) && is_refused(last), "{block:?}");
        let others: Vec<&Block> =
            REFUSED_V4.iter().chain(REFUSED_V6).filter(|other| *other != block).collect();
        let (before, after) = neighbours(block);
        for near in [before, after].into_iter().flatten() {
            let by_another = others.iter().any(|other| other.contains(near))
                || (near.is_ipv6() && !GLOBAL_V6.contains(near));
            let inner = matches!(near, IpAddr::V6(v6) if inner_v4(v6).is_some());
            assert!(inner || is_refused(near) == by_another, "{near} beside {block:?}");
        }
    }
}

#[test]
fn e1_the_special_registries_are_covered() {
    for text in [
        "0.1.2.3",
        "10.255.255.255",
        "100.127.255.255",
        "127.255.255.254",
        "169.254.0.1",
        "172.16.0.1",
        "192.0.0.8",
        "192.0.2.1",
        "192.31.196.1",
        "192.52.193.1",
        "192.88.99.1",
        "192.168.255.255",
        "192.175.48.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "239.1.2.3",
        "250.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "64:ff9b:1::1",
        "100::1",
        "100:0:0:1::1",
        "2001::1",
        "2001:2::1",
        "2001:10::1",
        "2001:1ff::1",
        "2001:db8::1",
        "2620:4f:8000::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fdff::1",
        "fe80::1",
        "febf::1",
        "fec0::1",
        "ff02::1",
        "4000::1",
        "1::1",
    ] {
        assert!(refused_ip(text), "{text}");
    }
    for text in [
        "1.1.1.1",
        "8.8.8.8",
        "100.63.255.255",
        "172.32.0.1",
        "192.0.1.1",
        "198.20.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2a00:1450::1",
        "2001:4860:4860::8888",
        "2003::1",
        "3ffe::1",
    ] {
        assert!(!refused_ip(text), "{text}");
    }
}

#[test]
fn e2_other_spellings_are_normalised_then_refused() {
    for address in [
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0x7f000001/",
        "http://017700000001/",
        "http://127.1/",
        "http://①②⑦.0.0.1/",
        "http://169。254。169。254/",
        "http://localhost./",
        "http://LOCALHOST/",
        "http://a.localhost/",
        "http://0/",
        "http://127.0.0.1./",
        "http://%31%32%37.0.0.1/",
        "http:\\\\127.0.0.1\\",
    ] {
        assert_eq!(verdict(address), Err(Refusal::Address), "{address}");
    }
}

#[test]
fn e3_ipv4_inside_ipv6_is_unwrapped_and_refused() {
    for inside in [
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "::ffff:a9fe:a9fe",
        "64:ff9b::10.0.0.1",
        "2002:c0a8:101::1",
        "64:ff9b:1::7f00:1",
        "2001:0:4136:e378:8000:63bf:80ff:fffe",
        "::8.8.8.8",
    ] {
        assert_eq!(verdict(&format!("http://[{inside}]/")), Err(Refusal::Address), "{inside}");
    }
    for inside in ["::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"] {
        assert_eq!(verdict(&format!("http://[{inside}]/")), Ok(()), "{inside}");
    }
}

#[test]
fn e7_other_schemes_are_refused() {
    for address in [
        "file:///etc/passwd",
        "gopher://host.test:70/_",
        "data:application/rss+xml,x",
        "jar:http://host.test/x!/y",
        "unix:/var/run/docker.sock",
        "ftp://host.test/feed",
        "javascript:alert(1)",
        "feed://host.test/feed",
        "ws://host.test/",
    ] {
        assert_eq!(verdict(address), Err(Refusal::Scheme), "{address}");
    }
}

#[test]
fn e8_only_web_ports_are_used() {
    for port in
        [1, 21, 22, 25, 53, 81, 110, 143, 445, 993, 1023, 2375, 3306, 5432, 6379, 6667, 9200, 11211, 27017]
    {
        assert_eq!(verdict(&format!("http://host.test:{port}/")), Err(Refusal::Port), "{port}");
        assert_eq!(verdict(&format!("http://8.8.8.8:{port}/")), Err(Refusal::Port), "{port}");
    }
    for port in [80, 443, 1024, 3000, 4000, 8000, 8080, 8443, 9000, 65535] {
        assert_eq!(verdict(&format!("http://host.test:{port}/")), Ok(()), "{port}");
    }
    assert_eq!(verdict("http://host.test:0/"), Err(Refusal::Port));
}

#[test]
fn e8_our_own_addresses_are_refused_whatever_the_allow_list_says() {
    let own: Vec<OwnAddress> = ["127.0.0.1:7323", "https://reader.example/", "nas.lan:8080"]
        .iter()
        .map(|text| text.parse().expect("an own address"))
        .collect();
    let allow =
        AllowList::parse(["127.0.0.0/8:7323", "reader.example:443", "0.0.0.0/8:7323", "twin.lan:7323"])
            .expect("a list");
    let check = |address: &str| check_url(&Url::parse(address).expect(address), &allow, &own);
    assert_eq!(check("http://127.0.0.1:7323/"), Err(Refusal::Address));
    assert_eq!(check("http://[::ffff:127.0.0.1]:7323/"), Err(Refusal::Address));
    assert_eq!(check("http://0.0.0.0:7323/"), Err(Refusal::Address));
    assert_eq!(check("https://Reader.Example./x"), Err(Refusal::Address));
    assert_eq!(check("http://nas.lan:8080/"), Err(Refusal::Address));
    assert_eq!(check("http://127.0.0.2:7323/"), Ok(()), "allowed, and not where we listen");
    let answer =
        |ip: &str| check_answer("twin.lan", SocketAddr::new(ip.parse().expect(ip), 7323), &allow, &own);
    assert_eq!(answer("127.0.0.1"), Err(Refusal::Address), "an allowed name that points at us");
    assert_eq!(answer("192.168.1.7"), Ok(()));
}

#[test]
fn e8_listening_everywhere_makes_every_local_address_ours() {
    let own = ["0.0.0.0:7323".parse().expect("an own address")];
    let allow = AllowList::parse(["192.168.1.0/24:7323", "192.168.1.0/24:8080"]).expect("a list");
    let check = |text: &str| check_addr(text.parse().expect(text), &allow, &own);
    assert_eq!(check("192.168.1.7:7323"), Err(Refusal::Address));
    assert_eq!(check("127.0.0.1:7323"), Err(Refusal::Address));
    assert_eq!(check("192.168.1.7:8080"), Ok(()));
    assert_eq!(check("8.8.8.8:7323"), Ok(()));
}

#[test]
fn e16_an_allowed_network_opens_one_port_only() {
    let allow = AllowList::parse(["127.0.0.1/32:8081", "nas.lan:81"]).expect("a list");
    let check = |address: &str| check_url(&Url::parse(address).expect(address), &allow, &[]);
    assert_eq!(check("http://127.0.0.1:8081/"), Ok(()));
    assert_eq!(check("http://127.0.0.1:8082/"), Err(Refusal::Address));
    assert_eq!(check("http://127.0.0.2:8081/"), Err(Refusal::Address));
    assert_eq!(check("http://nas.lan:81/"), Ok(()));
    assert_eq!(check("http://nas.lan:22/"), Err(Refusal::Port));
    let answer = |host: &str, text: &str| check_answer(host, text.parse().expect(text), &allow, &[]);
    assert_eq!(answer("nas.lan", "192.168.1.7:81"), Ok(()));
    assert_eq!(answer("nas.lan", "192.168.1.7:8080"), Err(Refusal::Address));
    assert_eq!(answer("evil.test", "192.168.1.7:81"), Err(Refusal::Address));
    assert_eq!(
        answer("evil.test", "8.8.8.8:81"),
        Err(Refusal::Port),
        "an allowed odd port is not open for others"
    );
    assert_eq!(answer("f1.test", "127.0.0.1:8081"), Ok(()));
}

proptest! {
    #[test]
    fn the_guard_is_total_and_wrapping_never_opens_a_door(bits: u32, port in 1u16.., text in "\\PC{0,40}") {
        let v4 = Ipv4Addr::from_bits(bits);
        let open = |ip: IpAddr| check_addr(SocketAddr::new(ip, port), &AllowList::default(), &[]);
        let plain = open(IpAddr::V4(v4));
        let [high, low] = [(bits >> 16) as u16, bits as u16];
        prop_assert_eq!(open(IpAddr::V6(v4.to_ipv6_mapped())), plain);
        prop_assert_eq!(open(IpAddr::V6(Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low))), plain);
        prop_assert_eq!(open(IpAddr::V6(Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1))), plain);
        if let Ok(url) = Url::parse(&format!("http://{text}/")) {
            let _ = check_url(&url, &AllowList::default(), &[]);
        }
    }
}
