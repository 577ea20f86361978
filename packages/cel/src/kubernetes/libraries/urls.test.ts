import { describe } from "vitest"
import { itComesTo } from "../../testing/expression-table.ts"
import { kubernetesEnvironment } from "../environment/kubernetes-environment.ts"

const environment = kubernetesEnvironment()

describe("hosts of URLs", () => {
  itComesTo(
    [
      ["url('http://u:p@a/').getHost()", '"a"', 3],
      [
        "url('http://u%zz@a/').getHost()",
        'fails: URL parse error during conversion from string: parse "http://u%zz@a/": invalid URL escape "%zz"',
        3,
      ],
      [
        "url('http://u p@a/').getHost()",
        'fails: URL parse error during conversion from string: parse "http://u p@a/": net/url: invalid userinfo',
        3,
      ],
      [
        "url('http://[::1').getHost()",
        "fails: URL parse error during conversion from string: parse \"http://[::1\": missing ']' in host",
        3,
      ],
      [
        "url('http://[::1]x').getHost()",
        'fails: URL parse error during conversion from string: parse "http://[::1]x": invalid port "x" after host',
        3,
      ],
      [
        "url('http://a:x').getHost()",
        'fails: URL parse error during conversion from string: parse "http://a:x": invalid port ":x" after host',
        2,
      ],
      [
        "url('http://%41/').getHost()",
        'fails: URL parse error during conversion from string: parse "http://%41/": invalid URL escape "%41"',
        3,
      ],
      [
        "url('http://a%20b/').getHost()",
        'fails: URL parse error during conversion from string: parse "http://a%20b/": invalid URL escape "%20"',
        3,
      ],
      ["url('http://[fe80::1%25en0]:80/').getHost()", '"[fe80::1%en0]:80"', 4],
      ["url('http://é/').getHost()", '"é"', 2],
      ["url('http://a;b/').getHost()", '"a;b"', 3],
      ["url('1http://a').getHost()", 'fails: URL parse error during conversion from string: parse "1http://a": invalid URI for request', 2],
      ["url('http//a').getHost()", 'fails: URL parse error during conversion from string: parse "http//a": invalid URI for request', 2],
      ["url('*').getHost()", '""', 2],
      ["url('//a/b').getHost()", '"a"', 2],
      [
        "url('http://a/%zz').getHost()",
        'fails: URL parse error during conversion from string: parse "http://a/%zz": invalid URL escape "%zz"',
        3,
      ],
      ["url('http://a\"b/').getHost()", '"a\\"b"', 3],
      ["url('http://a<b>/').getHost()", '"a<b>"', 3],
      [
        "url('http://a^b/').getHost()",
        'fails: URL parse error during conversion from string: parse "http://a^b/": invalid character "^" in host name',
        3,
      ],
      ["url('http://a[b/').getHost()", 'fails: URL parse error during conversion from string: parse "http://a[b/": invalid IP-literal', 3],
      [
        "url('http://[1.2.3.4]/').getHost()",
        'fails: URL parse error during conversion from string: parse "http://[1.2.3.4]/": invalid IP-literal',
        3,
      ],
      ["url('http://[::1]:80/').getHostname()", '"::1"', 3],
      ["url('http://[::1]:/').getPort()", '""', 3],
      [
        "url('http://[zz]/').getHost()",
        'fails: URL parse error during conversion from string: parse "http://[zz]/": invalid host: ParseAddr("zz"): unable to parse IP',
        3,
      ],
      [
        "url('http://a:1:2/').getHost()",
        'fails: URL parse error during conversion from string: parse "http://a:1:2/": invalid port ":1:2" after host',
        3,
      ],
      ["url('ftp://a:1:2/').getHost()", '"a:1:2"', 3],
      ["url('ftp://a:1:2/').getPort()", '"2"', 3],
      ["url('http://a:/').getHostname()", '"a"', 2],
      ["url('http://%C3%A9/').getHost()", '"é"', 3],
      [
        "url('http://a?x#%zz').getHost()",
        'fails: URL parse error during conversion from string: parse "http://a?x#%zz": invalid URL escape "%zz"',
        3,
      ],
      [
        "url('http://a#%zz').getHost()",
        'fails: URL parse error during conversion from string: parse "http://a#%zz": invalid character "#" in host name',
        3,
      ],
      ["url('http://u%40@a').getHost()", '"a"', 3],
      ["url('http://u/@a').getHost()", '"u"', 3],
      ["url('http://u@v@a').getHost()", '"a"', 3],
      ["url('http:/a').getHost()", '""', 2],
      ["url('http://').getHost()", '""', 2],
      ["url('http:').getHost()", '""', 2],
      ["url('#f').getHost()", 'fails: URL parse error during conversion from string: parse "#f": invalid URI for request', 2],
      ["url('//a#f').getHost()", '"a"', 2],
      ["url('//a:80/b').getHost()", '"a:80"', 2],
      ["url('///a#f').getHost()", '""', 2],
      ["url('?x').getHost()", 'fails: URL parse error during conversion from string: parse "?x": invalid URI for request', 2],
      ["url(':a').getHost()", 'fails: URL parse error during conversion from string: parse ":a": missing protocol scheme', 2],
      ["url('a b:c').getHost()", 'fails: URL parse error during conversion from string: parse "a b:c": invalid URI for request', 2],
    ],
    environment,
  )
})

describe("paths of URLs", () => {
  itComesTo(
    [
      ["url('mailto:a').getEscapedPath()", '""', 2],
      ["url('http://a/#f').getEscapedPath()", '"/"', 3],
      ["url('///a/b').getEscapedPath()", '"///a/b"', 2],
      ["url('http:///a/b').getEscapedPath()", '"/a/b"', 3],
      ["url('http://a/%41 b').getEscapedPath()", '"/A%20b"', 3],
      ["url('http://a/%c3%a9').getEscapedPath()", '"/%c3%a9"', 3],
      ["url('http://a/é').getEscapedPath()", '"/%C3%A9"', 2],
      ["url('http://a/(b)!').getEscapedPath()", '"/(b)!"', 3],
      ["url('http://a/(b)! c').getEscapedPath()", '"/%28b%29%21%20c"', 3],
      ["url('http://a/[b]').getEscapedPath()", '"/[b]"', 3],
      ["url('http://a/b\"c').getEscapedPath()", '"/b%22c"', 3],
      ["url('http:/a').getEscapedPath()", '"/a"', 2],
      ["url('/a#f').getEscapedPath()", '"/a"', 2],
    ],
    environment,
  )
})

describe("queries of URLs", () => {
  itComesTo(
    [
      ["url('http://a?x=1#f').getQuery() == {'x': ['1']}", "true", 4],
      ["url('/a?%zz=1&b=2').getQuery().size()", "1", 4],
      ["url('/a?a;b=1&c=2').getQuery().size()", "1", 4],
      ["url('http://a/?x=%zz&y=1').getQuery() == {'y': ['1']}", "true", 4],
      ["url('/a?a;b=1&c=2').getQuery()['c'] == ['2']", "true", 6],
      ["url('/a?a=%C3%A9+b').getQuery()['a'] == ['é b']", "true", 6],
    ],
    environment,
  )
})

describe("URLs are equal that Go writes in the same way", () => {
  itComesTo(
    [
      ["url('HTTP://a') == url('http://a')", "true", 3],
      ["url('http://a/%41') == url('http://a/A')", "false", 4],
      ["url('http://a/ b') == url('http://a/%20b')", "true", 5],
      ["url('http://%C3%A9/') == url('http://é/')", "true", 4],
      [
        "url('http://a#f') == url('http://a#g')",
        'fails: URL parse error during conversion from string: parse "http://a#f": invalid character "#" in host name',
        3,
      ],
      [
        "url('http://a#f') == url('http://a#%66')",
        'fails: URL parse error during conversion from string: parse "http://a#f": invalid character "#" in host name',
        4,
      ],
      [
        "url('http://a#é') == url('http://a#%C3%A9')",
        'fails: URL parse error during conversion from string: parse "http://a#é": invalid character "#" in host name',
        4,
      ],
      ["url('http://a?') == url('http://a')", "false", 3],
      ["url('http://a?') == url('http://a?')", "true", 3],
      ["url('http://u:p@a') == url('http://u:p@a')", "true", 5],
      ["url('http://%75@a') == url('http://u@a')", "true", 4],
      ["url('http://@a') == url('http://a')", "false", 3],
      ["url('http://u:@a') == url('http://u@a')", "false", 4],
      ["url('http:a') == url('HTTP:a')", "true", 3],
      ["url('http:/a') == url('http:///a')", "false", 3],
    ],
    environment,
  )
})

describe("texts that are URLs", () => {
  itComesTo(
    [
      ["isURL('http://a b')", "false", 1],
      ["isURL('http://[fe80::1%25en0]')", "true", 1],
      ["isURL('http://[fe80::1%en0]')", "false", 1],
      ["isURL('http://[fe80::1%25e%20n]')", "true", 1],
      ["isURL('')", "false", 1],
      ["isURL('/')", "true", 1],
      ["isURL('/a b')", "true", 1],
      ["isURL('http://a/\\n')", "false", 1],
    ],
    environment,
  )
})
