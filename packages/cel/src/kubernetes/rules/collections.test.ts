import { describe } from "vitest"
import { itJudges } from "../testing/rule-table.ts"

describe("lists", () => {
  itJudges(
    {
      properties: {
        l: { type: "array", items: { type: "integer" }, maxItems: 9 },
        n: { type: "array", items: { type: "array", items: { type: "string" } } },
        names: { type: "array", items: { type: "string" }, maxItems: 5 },
        s: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        t: { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" },
      },
      object: { l: [3, 1, 2], n: [["a"], []], names: ["b", "a"], s: ["x", "y"], t: [1, 2] },
    },
    [
      ["self.l == [3, 1, 2] && self.l != [1, 2, 3]", "holds", 6, 26],
      ["[1, 2, 3] == self.l", "root: Invalid value: failed rule: [1, 2, 3] == self.l", 3, 13],
      ["size(self.l) == 3 && self.l.size() == 3", "holds", 8, 8],
      ["self.l[0] == 3 && self.l[2] == 2", "holds", 8, 6],
      ["self.l[3] == 0", 'root: Invalid value: "object": index out of bounds: 3 evaluating rule: self.l[3] == 0', 4, 3],
      ["self.l[-1] == 0", 'root: Invalid value: "object": index out of bounds: -1 evaluating rule: self.l[-1] == 0', 4, 3],
      ["1 in self.l && !(9 in self.l)", "holds", 11, 23],
      ["self.l.all(x, x > 0) && self.l.exists(x, x == 2) && self.l.exists_one(x, x > 2)", "holds", 51, 136],
      ["self.l.map(x, x * 2) == [6, 2, 4]", "holds", 46, 150],
      ["self.l.map(x, x > 1, x) == [3, 2]", "holds", 36, 159],
      ["self.l.filter(x, x != 1) == [3, 2]", "holds", 36, 150],
      ["self.l + [4] == [3, 1, 2, 4]", "holds", 4, 24],
      ["self.l.isSorted() || self.l.sum() == 6", "holds", 11, 23],
      ["self.l.min() == 1 && self.l.max() == 3", "holds", 12, 24],
      ["self.l.indexOf(1) == 1 && self.l.lastIndexOf(9) == -1", "holds", 12, 24],
      ["self.l.sort() == [1, 2, 3] && self.l.sort().isSorted()", "holds", 66, 442],
      ["self.l.sortBy(x, -x) == [3, 2, 1]", "holds", 77, 335],
      ["self.l.slice(0, 2) == [3, 1] && self.l.reverse() == [2, 1, 3]", "holds", 33, 59],
      [
        "self.l.slice(2, 9) == []",
        'root: Invalid value: "object": cannot slice(2, 9), list is length 3 evaluating rule: self.l.slice(2, 9) == []',
        14,
        30,
      ],
      ["self.n.flatten() == ['a'] && self.n[1].size() == 0", "holds", 21, 1048604],
      ["['a', 'a'].distinct() == ['a'] && lists.range(3) == [0, 1, 2]", "holds", 35, 65],
      ["self.names.join() == 'ba' && self.names.join('-') == 'b-a'", "holds", 8, 3145733],
      ["self.names.sort() == ['a', 'b'] && !self.names.isSorted()", "holds", 25, 1572950],
      ["self.l.first().value() == 3 && self.l.last() == optional.of(2)", "holds", 10, 10],
      ["[].first() == optional.none()", "holds", 3, 1.8446744073709553e18],
      [
        "self.l.min() == self.names.min()",
        "refused: compilation failed: 1:14: found no matching overload for '_==_' applied to '(int, string)'",
        0,
      ],
      ["self.n[5].size() == 0", 'root: Invalid value: "object": index out of bounds: 5 evaluating rule: self.n[5].size() == 0', 5, 5],
      ["self.l.all(i, x, x != i) || self.l.exists(i, x, i == x)", "holds", 37, 105],
      ["self.l.transformList(i, x, x + i) == [3, 2, 4]", "holds", 49, 159],
      ["sets.contains(self.l, [1, 2]) && sets.equivalent(self.l, [1, 2, 3]) && sets.intersects(self.l, [2, 9])", "holds", 39, 129],
    ],
  )
})

describe("sets", () => {
  itJudges(
    {
      properties: {
        s: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        t: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        l: { type: "array", items: { type: "string" } },
      },
      object: { s: ["x", "y"], t: ["y", "x"], l: ["y", "x"] },
    },
    [
      ["self.s == self.t", "holds", 5, 104862],
      ["self.s != self.t", "root: Invalid value: failed rule: self.s != self.t", 5, 104862],
      ["self.s == ['y', 'x']", "holds", 3, 13],
      ["['y', 'x'] == self.s", "root: Invalid value: failed rule: ['y', 'x'] == self.s", 3, 13],
      ["self.s == self.l && !(self.l == self.s)", "holds", 11, 209725],
      ["self.s + self.t == self.s", "holds", 8, 104865],
      ["self.s + ['z', 'x'] == ['z', 'y', 'x']", "holds", 4, 24],
      ["size(self.s + self.t) == 2 && size(self.l + self.t) == 4", "holds", 14, 14],
      ["(self.s + ['z']) + ['x', 'w'] == ['w', 'x', 'y', 'z']", "holds", 5, 35],
      ["'x' in self.s && self.s[0] == 'x'", "holds", 8, 1048581],
      ["self.s.sort() == self.s", "holds", 24, 2308970119186],
      ["self.t.sort() == self.t", "root: Invalid value: failed rule: self.t.sort() == self.t", 24, 2308970119186],
      ["self.s.map(x, x) == self.t", "root: Invalid value: failed rule: self.s.map(x, x) == self.t", 32, 13736348],
      ["sets.equivalent(self.s, self.t)", "holds", 13, 2199019061255],
    ],
  )
})

describe("lists of type map", () => {
  itJudges(
    {
      properties: {
        m: {
          type: "array",
          items: { type: "object", properties: { k: { type: "string" }, o: { type: "string" }, v: { type: "integer" } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
        },
        two: {
          type: "array",
          items: { type: "object", properties: { k: { type: "string" }, o: { type: "string" }, v: { type: "integer" } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k", "o"],
        },
      },
      object: {
        m: [
          { k: "a", v: 1 },
          { k: "b", v: 2 },
        ],
        two: [
          { k: "a", o: "x", v: 1 },
          { k: "a", o: "y", v: 2 },
        ],
      },
    },
    [
      ["self.m[0].k == 'a' && self.m[1].v == 2", "holds", 10, 9],
      ["self.m.all(e, e.v > 0) && self.m.exists_one(e, e.k == 'b')", "holds", 27, 11534332],
      ["self.m == self.m && self.m + self.m == self.m", "holds", 13, 209727],
      ["size(self.m + self.m) == 2", "holds", 7, 7],
      ["self.two.filter(e, e.k == 'a').size() == 2", "holds", 37, 16777215],
      ["self.m.exists(e, e.k == 'c') || self.two[1].o == 'y'", "holds", 22, 7340033],
      ["self.m[0] in self.m", "holds", 7, 1048580],
      ["self.m[0].o == ''", "root: Invalid value: \"object\": no such key: o evaluating rule: self.m[0].o == ''", 4, 4],
      ["has(self.m[0].o)", "root: Invalid value: failed rule: has(self.m[0].o)", 3, 3],
      ["self.m.map(e, e.k) == ['a', 'b']", "holds", 32, 14680074],
      [
        "self.m == self.two",
        "refused: compilation failed: 1:8: found no matching overload for '_==_' applied to '(list(selfType.m.@idx), list(selfType.two.@idx))'",
        0,
      ],
      ["self.m[2].k == ''", "root: Invalid value: \"object\": index out of bounds: 2 evaluating rule: self.m[2].k == ''", 3, 4],
      ["self.m.sortBy(e, -e.v)[0].k == 'b'", "holds", 58, 2199034789914],
      ["self.m.reverse()[0].k == 'b'", "holds", 19, 1048591],
    ],
  )
})

describe("maps and objects", () => {
  itJudges(
    {
      properties: {
        m: { type: "object", additionalProperties: { type: "integer" }, maxProperties: 5 },
        n: { type: "object", additionalProperties: { type: "string" } },
        deep: {
          type: "object",
          additionalProperties: { type: "object", properties: { a: { type: "integer" }, b: { type: "array", items: { type: "string" } } } },
        },
        o: { type: "object", properties: { a: { type: "integer" }, sub: { type: "object", properties: { x: { type: "string" } } } } },
        p: { type: "object", properties: { a: { type: "integer" }, sub: { type: "object", properties: { x: { type: "string" } } } } },
      },
      object: {
        m: { one: 1, two: 2 },
        n: { "a-b": "x", "": "y" },
        deep: { k: { a: 1, b: ["c"] } },
        o: { a: 1, sub: { x: "y" } },
        p: { sub: { x: "y" }, a: 1 },
      },
    },
    [
      ["self.m['one'] == 1 && self.m.two == 2", "holds", 8, 7],
      [
        "dyn(1) in self.m",
        "root: Invalid value: \"object\": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: dyn(1) in self.m",
        3,
        4,
      ],
      ["self.m.three == 3", 'root: Invalid value: "object": no such key: three evaluating rule: self.m.three == 3', 4, 4],
      ["'one' in self.m && !('three' in self.m)", "holds", 7, 7],
      ["has(self.m.one) && !has(self.m.three)", "holds", 5, 5],
      ["size(self.m) == 2", "holds", 4, 4],
      ["self.m == {'two': 2, 'one': 1}", "holds", 3, 33],
      ["self.m.all(k, self.m[k] > 0) && self.m.exists(k, k != '')", "holds", 28, 71],
      ["self.m.all(k, v, v > 0) && self.m.transformList(k, v, v).sum() == 3", "holds", 45, 112],
      ["self.m.transformMap(k, v, v * 2) == {'one': 2, 'two': 4}", "holds", 14, 89],
      ["self.m.map(k, k).sort() == ['one', 'two']", "holds", 49, 153],
      ["self.n['a-b'] == 'x' && self.n[''] == 'y'", "holds", 8, 8],
      ["self.deep['k'].a == 1 && self.deep.k.b == ['c']", "holds", 10, 19],
      ["self.deep.all(k, self.deep[k].b.size() == 1)", "holds", 12, 3932153],
      [
        "self.o == self.p",
        "refused: compilation failed: 1:8: found no matching overload for '_==_' applied to '(selfType.o, selfType.p)'",
        0,
      ],
      ["self.o == self.o && self.o.sub.x == 'y'", "holds", 10, 9],
      [
        "self.o == {'a': 1}",
        "refused: compilation failed: 1:8: found no matching overload for '_==_' applied to '(selfType.o, map(string, int))'",
        0,
      ],
      ["self.o.z == 1", "refused: compilation failed: 1:7: undefined field 'z'", 0],
      ["has(self.o.a) && has(self.o.sub.x)", "holds", 5, 5],
      ["type(self.m) == map", "holds", 4, 4],
      ["self.m.filter(k, k.startsWith('t')) == ['two']", "holds", 21, 99],
    ],
  )
})

describe("optionals", () => {
  itJudges(
    {
      properties: {
        a: { type: "string" },
        b: { type: "string" },
        l: { type: "array", items: { type: "integer" } },
        m: { type: "object", additionalProperties: { type: "string" } },
        o: { type: "object", properties: { x: { type: "object", properties: { y: { type: "integer" } } } } },
      },
      object: { a: "v", l: [1], m: { k: "w" }, o: { x: { y: 3 } } },
    },
    [
      ["self.?a.hasValue() && !self.?b.hasValue()", "holds", 6, 7],
      ["self.?a == optional.of('v') && self.?b == optional.none()", "holds", 7, 3.6893488147419105e18],
      ["self.?b.orValue('d') == 'd' && self.?a.orValue('d') == 'v'", "holds", 5, 8],
      ["self.?a.value() == 'v'", "holds", 4, 4],
      [
        "self.?b.value() == 'v'",
        "root: Invalid value: \"object\": optional.none() dereference evaluating rule: self.?b.value() == 'v'",
        3,
        4,
      ],
      ["self.?o.x.y == optional.of(3)", "holds", 6, 4],
      ["self.?o.?x.?y.orValue(0) == 3", "holds", 5, 6],
      ["self.l[?0] == optional.of(1) && self.l[?1] == optional.none()", "holds", 9, 10],
      ["self.m[?'k'].orValue('') == 'w' && !self.m[?'j'].hasValue()", "holds", 8, 10],
      ["self.?b.or(self.?a).value() == 'v'", "holds", 5, 7],
      ["self.?a.optMap(x, x + '!') == optional.of('v!') && !self.?b.optMap(x, x + '!').hasValue()", "holds", 16, 5.534023222112866e18],
      ["self.?a.optFlatMap(x, self.m[?x]) == optional.none()", "holds", 10, 1.8446744073709553e18],
      ["optional.ofNonZeroValue('') == optional.none() && optional.ofNonZeroValue('x').hasValue()", "holds", 5, 1.8446744073709553e18],
      ["[?self.?a, ?self.?b] == ['v'] && {?'k': self.?b} == {}", "holds", 45, 87],
      ["has(self.?o.x) && has(self.?o.?x.?y)", "refused: compilation failed: 1:33: invalid argument to has() macro", 0],
      ["optional.unwrap([self.?a, self.?b]) == ['v'] && [self.?a].unwrapOpt() == ['v']", "holds", 29, 50],
      ["optional.of(self.?b)", "refused: cel expression must evaluate to a bool", 0],
      ["self.?c.hasValue()", "refused: compilation failed: 1:5: undefined field 'c'", 0],
    ],
  )
})

describe("libraries", () => {
  itJudges(
    {
      properties: {
        s: { type: "string", maxLength: 64 },
        q: { "x-kubernetes-int-or-string": true },
        ips: { type: "array", items: { type: "string", maxLength: 40 }, maxItems: 4 },
      },
      object: { s: "https://user@example.com:8443/a%20b/c?x=1&x=2&y=z#f", q: "250m", ips: ["10.1.2.3", "fe80::1"] },
    },
    [
      ["isURL(self.s) && !isURL('a b')", "holds", 5, 5],
      [
        "url(self.s).getScheme() == 'https' && url(self.s).getHost() == 'example.com:8443' && url(self.s).getHostname() == 'example.com'",
        "holds",
        32,
        92,
      ],
      ["url(self.s).getPort() == '8443' && url(self.s).getEscapedPath() == '/a%20b/c'", "holds", 20, 60],
      ["url(self.s).getQuery()['x'] == ['1', '2'] && url(self.s).getQuery().y == ['z']", "holds", 24, 80],
      [
        "url('a b').getHost() == ''",
        "root: Invalid value: \"object\": URL parse error during conversion from string: parse \"a b\": invalid URI for request evaluating rule: url('a b').getHost() == ''",
        2,
        2,
      ],
      [
        "url('/path?q').getHost() == '' && url('https://[::1]:80/').getHost() == '[::1]:80' && url('https://[::1]:80/').getHostname() == '::1'",
        "holds",
        10,
        10,
      ],
      ["isQuantity(string(self.q)) && quantity(string(self.q)).isLessThan(quantity('1'))", "holds", 10, 1258298],
      ["self.ips.all(x, isIP(x)) && self.ips.exists(x, ip(x).family() == 6)", "holds", 32, 178],
      ["self.ips.all(x, cidr('10.0.0.0/8').containsIP(x) || cidr('fe80::/10').containsIP(x))", "holds", 21, 191],
      ["self.ips.map(x, ip(x)).exists(x, x.isLinkLocalUnicast())", "holds", 44, 154],
      ["isSemver('1.2.3') && semver('1.2.3').isLessThan(semver('2.0.0'))", "holds", 4, 4],
      ["!format.uri().validate(self.s).hasValue()", "holds", 1661, 837],
      ["format.dns1123Label().validate(self.ips[1]).value().size() == 1", "holds", 15, 519],
      [
        "authorizer.path('/').check('get').allowed()",
        "refused: compilation failed: 1:1: undeclared reference to 'authorizer' (in container '')",
        0,
      ],
      [
        "math.greatest(1, 2) == 2",
        "refused: compilation failed: 1:1: undeclared reference to 'math' (in container ''); 1:14: undeclared reference to 'greatest' (in container '')",
        0,
      ],
      [
        "base64.encode(b'a') == 'YQ=='",
        "refused: compilation failed: 1:1: undeclared reference to 'base64' (in container ''); 1:14: undeclared reference to 'encode' (in container '')",
        0,
      ],
      [
        "cel.bind(x, 1, x == 1)",
        "refused: compilation failed: 1:1: undeclared reference to 'cel' (in container ''); 1:9: undeclared reference to 'bind' (in container ''); 1:10: undeclared reference to 'x' (in container ''); 1:16: undeclared reference to 'x' (in container '')",
        0,
      ],
      ["self.s.reverse() == ''", "refused: compilation failed: 1:15: found no matching overload for 'reverse' applied to 'string.()'", 0],
      ["'a'.escapeKey() == 'a'", "refused: compilation failed: 1:14: undeclared reference to 'escapeKey' (in container '')", 0],
      [
        "jsonpatch.escapeKey('a/b') == 'a~1b'",
        "refused: compilation failed: 1:1: undeclared reference to 'jsonpatch' (in container ''); 1:20: undeclared reference to 'escapeKey' (in container '')",
        0,
      ],
    ],
  )
})
