//! Putting lists in order where that is rare, or the lists are short.
//!
//! The library's own sorting is fast on a million items and is made anew for every type and every order, six kilobytes of
//! code each time. Here only comparing and swapping are; how a list comes into order exists once, for places in it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Adds putting in order to lists. All of it is stable: what is equal stays as it was.
pub trait Arrange<T> {
    /// In the order of the items.
    fn arrange(&mut self)
    where
        T: Ord,
    {
        self.arrange_by(T::cmp);
    }

    /// In the order of what `key` says of them.
    fn arrange_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        self.arrange_by(|one, other| key(one).cmp(&key(other)));
    }

    /// In the order `compare` says.
    fn arrange_by(&mut self, compare: impl Fn(&T, &T) -> Ordering);
}

impl<T> Arrange<T> for [T] {
    fn arrange_by(&mut self, compare: impl Fn(&T, &T) -> Ordering) {
        let steps = steps(self.len(), &|one, other| match (self.get(one), self.get(other)) {
            (Some(one), Some(other)) => compare(one, other),
            _ => Ordering::Equal,
        });
        for (one, other) in steps {
            self.swap(one, other);
        }
    }
}

/// Which items change places, one pair after the other, until `length` of them are in order.
fn steps(length: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<(usize, usize)> {
    let mut places: Vec<usize> = (0..length).collect();
    places.sort_by(|one, other| compare(*one, *other));
    let mut steps = Vec::new();
    for start in 0..length {
        let mut at = start;
        // Each item of a ring takes the place of the one before; a place that is settled names itself.
        while let Some(place) = places.get_mut(at) {
            let from = std::mem::replace(place, at);
            if from == start {
                break;
            }
            steps.push((at, from));
            at = from;
        }
    }
    steps
}

/// Collecting into ordered maps and sets item by item. The library's `collect` sorts the items first, with code made for
/// each kind of iterator.
pub trait CollectOrdered: Iterator + Sized {
    /// A map of the pairs; of those with the same key the last.
    fn collect_map<K: Ord, V>(self) -> BTreeMap<K, V>
    where
        Self: Iterator<Item = (K, V)>,
    {
        let mut map = BTreeMap::new();
        for (key, value) in self {
            map.insert(key, value);
        }
        map
    }

    /// A set of the items.
    fn collect_set(self) -> BTreeSet<Self::Item>
    where
        Self::Item: Ord,
    {
        let mut set = BTreeSet::new();
        for item in self {
            set.insert(item);
        }
        set
    }
}

impl<I: Iterator> CollectOrdered for I {}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::{Arrange as _, CollectOrdered as _};

    proptest! {
        #[test]
        fn lists_come_out_as_the_library_sorts_them(mut list: Vec<(u8, u16)>) {
            let mut sorted = list.clone();
            sorted.sort_by_key(|(key, _)| *key);
            list.arrange_by_key(|(key, _)| *key);
            prop_assert_eq!(&list, &sorted);
            sorted.sort_by(|one, other| other.cmp(one));
            list.arrange_by(|one, other| other.cmp(one));
            prop_assert_eq!(&list, &sorted);
            sorted.sort();
            list.arrange();
            prop_assert_eq!(list, sorted);
        }

        #[test]
        fn maps_and_sets_hold_what_collecting_would_hold(pairs: Vec<(u8, u16)>) {
            let map: BTreeMap<u8, u16> = pairs.iter().copied().collect();
            let set: BTreeSet<(u8, u16)> = pairs.iter().copied().collect();
            prop_assert_eq!(pairs.iter().copied().collect_map(), map);
            prop_assert_eq!(pairs.into_iter().collect_set(), set);
        }
    }
}
