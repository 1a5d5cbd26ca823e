//! Messages of programs that lack the network.

/// Whether a step failed for lack of the network, by the text of its reason: git, curl, cvs and
/// package managers give no other sign of it.
pub(crate) fn lacks_network(why: &str) -> bool {
    const SAID: [&str; 9] = [
        "Could not resolve host",
        "Connection refused",
        "Connection timed out",
        "Network is unreachable",
        "No route to host",
        // An object that a partial clone left out, whose remote is gone.
        "unable to read sha1 file",
        // A checkout of a partial clone fetches what the clone left out.
        "from promisor remote",
        "unable to access 'http",
        "Temporary failure in name resolution",
    ];
    SAID.iter().any(|said| why.contains(said))
}

#[cfg(test)]
mod tests {
    use super::lacks_network;

    #[test]
    fn what_a_partial_clone_could_not_fetch_is_no_failure_of_the_revision() {
        assert!(lacks_network(
            "git checkout failed with exit status 128: fatal: could not fetch 5f6b7e061d6992a7 \
             from promisor remote"
        ));
        assert!(!lacks_network("git checkout failed with exit status 128: fatal: disk full"));
    }
}
