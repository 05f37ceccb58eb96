//! What may be asked and what not: a table of addresses, and laws that hold for all of them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

use super::{Guard, Refused, is_public};

const PRIVATE: &[&str] = &[
    "http://localhost/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://localhost:8080/",
    "http://a.localhost/",
    "http://127.0.0.1/",
    "http://127.0.0.1./",
    "http://127.1/",
    "http://127.0.1/",
    "http://127.255.255.254/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0x7F.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://%31%32%37.0.0.1/",
    "http://１２７.0.0.1/",
    "http://127。0。0。1/",
    "http://0/",
    "http://0.0.0.0/",
    "http://0.1.2.3/",
    "http://10.0.0.1/",
    "http://10.255.255.255:22/",
    "http://167772161/",
    "http://012.0.0.1/",
    "http://100.64.0.1/",
    "http://100.127.255.255/",
    "http://168.63.129.16/",
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0xA9.0xFE.0xA9.0xFE/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.0.0.170/",
    "http://192.0.2.1/",
    "http://192.88.99.1/",
    "http://192.168.0.1/",
    "https://192.168.1.1:8443/",
    "http://198.18.0.1/",
    "http://198.19.255.255/",
    "http://198.51.100.7/",
    "http://203.0.113.9/",
    "http://224.0.0.1/",
    "http://239.255.255.250:1900/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://[::]/",
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]:3000/",
    "http://[::127.0.0.1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::ffff:8.8.8.8]/",
    "http://[::ffff:0:10.0.0.1]/",
    "http://[64:ff9b::10.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::a00:1]/",
    "http://[100::1]/",
    "http://[2001::1]/",
    "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "http://[2001:db8::1]/",
    "http://[2002:7f00:1::]/",
    "http://[2002:a9fe:a9fe::1]/",
    "http://[2a00::5efe:10.0.0.1]/",
    "http://[2a00::200:5efe:7f00:1]/",
    "http://[3fff::1]/",
    "http://[fc00::1]/",
    "http://[fd00:ec2::254]/",
    "http://[fe80::1]/",
    "http://[febf::1]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://router/",
    "http://metadata/",
    "http://printer.local/",
    "http://Printer.LOCAL./",
    "http://metadata.google.internal/",
    "http://metadata.goog/",
    "http://db.internal:5432/",
    "http://nas.lan/",
    "http://fritz.home.arpa/",
    "http://wiki.corp/",
];

const PUBLIC: &[&str] = &[
    "http://example.com/",
    "https://example.com:8443/a?b#c",
    "http://localhost.example.com/",
    "http://internal.example.com/",
    "http://mylocal.example/",
    "http://8.8.8.8/",
    "http://1.1.1.1:8080/",
    "http://9.255.255.255/",
    "http://11.0.0.0/",
    "http://100.63.255.255/",
    "http://100.128.0.0/",
    "http://126.255.255.255/",
    "http://128.0.0.1/",
    "http://168.63.129.17/",
    "http://169.253.0.1/",
    "http://172.15.255.255/",
    "http://172.32.0.0/",
    "http://192.167.255.255/",
    "http://192.169.0.0/",
    "http://198.17.0.1/",
    "http://198.20.0.0/",
    "http://223.255.255.255/",
    "http://[2606:4700:4700::1111]/",
    "http://[2a00:1450:4001::200e]/",
    "http://[2001:4860:4860::8888]/",
    "http://bücher.example/",
];

#[test]
fn private_places_are_refused_however_they_are_spelled() {
    let guard = Guard::new(&[]);
    for text in PRIVATE {
        let refused = guard.parse(text);
        assert!(matches!(refused, Err(Refused::Private { .. })), "{text}: {refused:?}");
    }
}

#[test]
fn public_places_are_not_refused() {
    let guard = Guard::new(&[]);
    for text in PUBLIC {
        assert!(guard.parse(text).is_ok(), "{text}: {:?}", guard.parse(text));
    }
}

#[test]
fn what_is_no_address_of_a_page_is_refused_with_the_reason() {
    let guard = Guard::new(&[]);
    let kind = |text: &str| guard.parse(text).map_err(|refused| refused.to_string());
    for scheme in
        ["file:///etc/passwd", "ftp://a.com/", "data:text/html,x", "gopher://a.com/", "javascript:1"]
    {
        assert!(kind(scheme).unwrap_err().starts_with("only http and https"), "{scheme}");
    }
    let long = format!("http://a.com/{}", "x".repeat(5_000));
    assert!(kind(&long).unwrap_err().starts_with("the address is longer"));
    for userinfo in ["http://user@a.com/", "http://user:pass@a.com/", "http://:pass@a.com/"] {
        assert!(kind(userinfo).unwrap_err().contains("user name or password"), "{userinfo}");
    }
    for broken in
        ["", "example.com", "/etc/passwd", "http://", "http://[fe80::1%25eth0]/", "http://256.1.1.1/"]
    {
        assert!(kind(broken).unwrap_err().contains("is not an address"), "{broken}");
    }
}

async fn resolved(answer: &[&str]) -> Result<Vec<SocketAddr>, Refused> {
    let answer: Vec<SocketAddr> =
        answer.iter().map(|ip| SocketAddr::new(ip.parse::<IpAddr>().unwrap(), 0)).collect();
    let guard = Guard::new(&[]).with_lookup(Arc::new(move |_| {
        let answer = answer.clone();
        Box::pin(async move { Ok(answer) })
    }));
    guard.addresses("name.example".to_owned()).await
}

#[tokio::test]
async fn a_name_with_one_private_address_is_refused_whole() {
    assert_eq!(resolved(&["8.8.8.8", "2606:4700:4700::1111"]).await.unwrap().len(), 2);
    for answer in
        [&["127.0.0.1"][..], &["8.8.8.8", "10.0.0.1"], &["::ffff:127.0.0.1"], &["fd00::1", "8.8.8.8"]]
    {
        let refused = resolved(answer).await;
        assert_eq!(refused, Err(Refused::Private { host: "name.example".to_owned() }), "{answer:?}");
    }
    assert_eq!(resolved(&[]).await, Err(Refused::Unknown { host: "name.example".to_owned() }));
}

#[test]
fn an_exemption_is_for_one_place_only() {
    let guard = Guard::new(&["127.0.0.1:4000".parse().unwrap()]);
    assert!(guard.parse("http://127.0.0.1:4000/").is_ok());
    assert!(guard.parse("http://127.0.0.1:4001/").is_err());
    assert!(guard.parse("http://127.0.0.2:4000/").is_err());
}

proptest! {
    #[test]
    fn an_ipv4_address_is_judged_the_same_in_every_spelling(bits in any::<u32>()) {
        let address = Ipv4Addr::from_bits(bits);
        let [a, b, c, d] = address.octets();
        let guard = Guard::new(&[]);
        let spellings = [
            format!("http://{address}/"),
            format!("http://{bits}/"),
            format!("http://{bits:#x}/"),
            format!("http://{a:#x}.{b:#x}.{c:#x}.{d:#x}/"),
            format!("http://0{a:o}.0{b:o}.0{c:o}.0{d:o}/"),
        ];
        for text in spellings {
            prop_assert_eq!(guard.parse(&text).is_ok(), is_public(address.into()), "{}", text);
        }
    }

    #[test]
    fn no_address_the_standard_library_calls_special_is_public(bits in any::<u32>()) {
        let a = Ipv4Addr::from_bits(bits);
        let special = a.is_loopback() || a.is_private() || a.is_link_local() || a.is_multicast()
            || a.is_unspecified() || a.is_broadcast() || a.is_documentation();
        prop_assert!(!special || !is_public(a.into()));
    }

    #[test]
    fn ipv6_forms_that_carry_an_ipv4_address_are_never_public(bits in any::<u32>(), low in any::<u64>()) {
        let v4 = Ipv4Addr::from_bits(bits);
        let nat64 = Ipv6Addr::from_bits((0x64_ff9b_u128 << 96) | u128::from(bits));
        let six_to_four = Ipv6Addr::from_bits((0x2002_u128 << 112) | (u128::from(bits) << 80) | u128::from(low));
        let teredo = Ipv6Addr::from_bits((0x2001_0000_u128 << 96) | u128::from(low));
        for address in [v4.to_ipv6_mapped(), v4.to_ipv6_compatible(), nat64, six_to_four, teredo] {
            prop_assert!(!is_public(address.into()), "{}", address);
        }
    }

    #[test]
    fn reading_an_address_never_panics(text in any::<String>()) {
        drop(Guard::new(&[]).parse(&text));
        drop(Guard::new(&[]).parse(&format!("http://{text}/")));
    }
}
