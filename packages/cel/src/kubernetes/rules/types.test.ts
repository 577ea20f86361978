import { describe } from "vitest"
import { itJudges } from "../testing/rule-table.ts"

describe("integers and numbers", () => {
  itJudges(
    {
      properties: {
        i: { type: "integer" },
        j: { type: "integer", format: "int64" },
        k: { type: "integer", format: "int32" },
        f: { type: "number" },
        g: { type: "number", format: "float" },
        h: { type: "number", format: "double" },
      },
      object: { i: 7, j: 9007199254740991, k: -7, f: 2.5, g: 2, h: 1e300 },
    },
    [
      ["self.i == 7 && 7 == self.i", "holds", 6, 4],
      ["self.i + self.k == 0", "holds", 6, 6],
      ["self.i == self.j", "root: Invalid value: failed rule: self.i == self.j", 5, 4],
      ["type(self.i) == int && type(self.k) == int", "holds", 8, 8],
      ["type(self.f) == double && type(self.g) == double", "holds", 8, 8],
      ["self.g == 2.0", "holds", 3, 2],
      ["self.g > 1", "holds", 3, 3],
      ["self.f < self.i", "holds", 5, 5],
      ["self.h > self.f", "holds", 5, 5],
      ["double(self.i) / 2.0 == 3.5", "holds", 5, 5],
      ["self.i / 2 == 3 && self.i % 2 == 1", "holds", 8, 8],
      ["int(self.f) == 2", "holds", 4, 4],
      ["self.j + 1 > self.j", "holds", 6, 6],
      ["self.j * self.j > 0", 'root: Invalid value: "object": integer overflow evaluating rule: self.j * self.j > 0', 6, 6],
      [
        "self.i / (self.i + self.k) == 1",
        'root: Invalid value: "object": division by zero evaluating rule: self.i / (self.i + self.k) == 1',
        9,
        9,
      ],
      ["self.i == 'seven'", "refused: compilation failed: 1:8: found no matching overload for '_==_' applied to '(int, string)'", 0],
      ["self.f == self.i", "refused: compilation failed: 1:8: found no matching overload for '_==_' applied to '(double, int)'", 0],
      ["-self.i == self.k", "holds", 6, 5],
      ["self.i in [6, 7]", "holds", 2, 14],
      ["string(self.i) == '7' && string(self.f) == '2.5'", "holds", 8, 8],
      ["self.missing == 1", "refused: compilation failed: 1:5: undefined field 'missing'", 0],
      ["has(self.i) && !has(self.f)", "root: Invalid value: failed rule: has(self.i) && !has(self.f)", 3, 3],
    ],
  )
})

describe("texts", () => {
  itJudges(
    {
      properties: { s: { type: "string", maxLength: 100 }, u: { type: "string" }, e: { type: "string", enum: ["red", "green"] } },
      object: { s: "grün 👑 text", u: "a-b-c", e: "red" },
    },
    [
      ["size(self.s) == 11", "holds", 4, 4],
      ["self.s.contains('👑') && self.s.startsWith('grün') && self.s.endsWith('text')", "holds", 12, 48],
      ["self.s.charAt(5) == '👑'", "holds", 4, 4],
      ["self.s.substring(5, 6) == '👑'", "holds", 5, 43],
      ["self.s.indexOf('t') == 7 && self.s.lastIndexOf('t') == 10", "holds", 8, 86],
      ["self.s.matches('^[^0-9]+$')", "holds", 8, 125],
      ["self.s.upperAscii() == 'GRüN 👑 TEXT'", "holds", 6, 44],
      ["self.s.lowerAscii() == self.s", "holds", 8, 84],
      ["self.s.replace('text', 'x') == 'grün 👑 x'", "holds", 6, 83],
      ["self.s.split(' ') == ['grün', '👑', 'text']", "holds", 6, 93],
      ["'  a '.trim() == 'a'", "holds", 2, 2],
      ["self.u.split('-').join('+') == 'a+b+c'", "holds", 5, 1.8446744073715845e18],
      ["self.u.split('-', 2) == ['a', 'b-c']", "holds", 4, 629159],
      ["self.e == 'red' && size(self.e) == 3", "holds", 7, 7],
      ["self.u < 'b' && self.u >= 'a'", "holds", 6, 6],
      ["self.u + self.e == 'a-b-cred'", "holds", 6, 314579],
      ["type(self.u) == string", "holds", 4, 4],
      ["self.u.find('[b-z]') == 'b' && self.u.findAll('[a-z]').size() == 3", "holds", 11, 1258299],
      ["self.u.matches('[')", "refused: compilation failed: 1:16: invalid matches argument", 0],
      ["'quote \\'\"' == \"quote '\\\"\" && '\\u00fc' == 'ü'", "holds", 2, 2],
      ["r'\\d' == '\\\\d'", "holds", 1, 1],
      [
        "self.s.substring(99) == ''",
        "root: Invalid value: \"object\": index out of range: 99 evaluating rule: self.s.substring(99) == ''",
        4,
        42,
      ],
      ["self.u.charAt(-1) == ''", "root: Invalid value: \"object\": index out of range: -1 evaluating rule: self.u.charAt(-1) == ''", 3, 3],
      ["self.u[0] == 'a'", "refused: compilation failed: 1:7: found no matching overload for '_[_]' applied to '(string, int)'", 0],
      ["strings.quote(self.u) == '\"a-b-c\"'", "holds", 4, 314576],
      ["'%s has %d'.format([self.u, 5]) == 'a-b-c has 5'", "holds", 15, 15],
    ],
  )
})

describe("bytes, booleans, moments and durations", () => {
  itJudges(
    {
      properties: {
        b: { type: "string", format: "byte" },
        t: { type: "boolean" },
        at: { type: "string", format: "date-time" },
        day: { type: "string", format: "date" },
        every: { type: "string", format: "duration" },
        id: { type: "string", format: "uuid" },
      },
      object: {
        b: "aGk=",
        t: true,
        at: "2024-02-29T10:00:00.5Z",
        day: "2024-02-29",
        every: "90m",
        id: "123e4567-e89b-12d3-a456-426614174000",
      },
    },
    [
      ["self.b == b'hi' && size(self.b) == 2", "holds", 7, 7],
      ["string(self.b) == 'hi'", "holds", 4, 314576],
      ["self.b == 'hi'", "refused: compilation failed: 1:8: found no matching overload for '_==_' applied to '(bytes, string)'", 0],
      ["type(self.b) == bytes", "holds", 4, 4],
      ["self.t && self.t != false", "holds", 5, 4],
      ["type(self.t) == bool", "holds", 4, 4],
      ["self.at > timestamp('2024-02-29T09:59:59Z')", "holds", 3, 4],
      [
        "self.at.getFullYear() == 2024 && self.at.getMonth() == 1 && self.at.getDate() == 29 && self.at.getDayOfMonth() == 28",
        "holds",
        16,
        16,
      ],
      ["self.at.getHours() == 10 && self.at.getHours('Europe/Berlin') == 11 && self.at.getHours('+03:30') == 13", "holds", 12, 12],
      ["self.at.getMilliseconds() == 500 && self.at.getSeconds() == 0 && self.at.getMinutes() == 0", "holds", 12, 12],
      ["self.at.getDayOfWeek() == 4 && self.at.getDayOfYear() == 59", "holds", 8, 8],
      ["self.day == timestamp('2024-02-29T00:00:00Z')", "holds", 3, 4],
      ["self.at - self.day == duration('10h0m0.5s')", "holds", 6, 7],
      ["self.day + self.every == timestamp('2024-02-29T01:30:00Z')", "holds", 6, 7],
      ["self.every == duration('1h30m') && self.every.getMinutes() == 90", "holds", 7, 8],
      ["self.every < duration('2h') && self.every.getHours() == 1 && self.every.getSeconds() == 5400", "holds", 11, 12],
      ["duration('later') == self.every", "refused: compilation failed: 1:10: invalid duration argument", 0],
      ["timestamp('2024') == self.at", "refused: compilation failed: 1:11: invalid timestamp argument", 0],
      ["type(self.at) == google.protobuf.Timestamp && type(self.every) == google.protobuf.Duration", "holds", 8, 8],
      ["self.id.size() == 36 && type(self.id) == string", "holds", 8, 8],
      ["string(self.every) == '5400s' && string(self.at) == '2024-02-29T10:00:00.5Z'", "holds", 10, 10],
      ["int(self.day) == 1709164800", "holds", 4, 4],
    ],
  )
})

describe("integers or strings, and what has no type", () => {
  itJudges(
    {
      properties: {
        p: { "x-kubernetes-int-or-string": true },
        q: { "x-kubernetes-int-or-string": true },
        any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        part: {
          type: "object",
          properties: { known: { type: "string" }, free: { "x-kubernetes-preserve-unknown-fields": true } },
          "x-kubernetes-preserve-unknown-fields": true,
        },
        embedded: {
          type: "object",
          properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
          "x-kubernetes-embedded-resource": true,
        },
      },
      object: {
        p: 80,
        q: "75%",
        any: { a: 1 },
        part: { known: "k", free: { a: 1 } },
        embedded: { apiVersion: "v1", kind: "Thing", metadata: { name: "n", namespace: "s" }, spec: { a: "b" } },
      },
    },
    [
      ["self.p == 80 && self.q == '75%'", "holds", 6, 6],
      ["type(self.p) == int && type(self.q) == string", "holds", 8, 8],
      ["type(self.q) == string && self.q.matches('^[0-9]+%$')", "holds", 9, 943725],
      ["self.p < 100", "holds", 3, 3],
      [
        "self.q < 100",
        "root: Invalid value: \"object\": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.q < 100",
        3,
        3,
      ],
      ["self.p == self.q", "root: Invalid value: failed rule: self.p == self.q", 5, 314577],
      [
        "self.p.startsWith('8')",
        "root: Invalid value: \"object\": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.p.startsWith('8')",
        3,
        3,
      ],
      ["type(self.p) == int ? self.p < 100 : self.p.endsWith('%')", "holds", 7, 7],
      ["self.any.a == 1", "refused: compilation failed: 1:9: undefined field 'a'", 0],
      ["has(self.any)", "holds", 1, 1],
      ["self.part.known == 'k'", "holds", 4, 4],
      ["self.part.free.a == 1", "refused: compilation failed: 1:10: undefined field 'free'", 0],
      ["self.embedded.kind == 'Thing' && self.embedded.apiVersion == 'v1'", "holds", 8, 8],
      ["self.embedded.metadata.name == 'n' && !has(self.embedded.metadata.generateName)", "holds", 9, 9],
      ["self.embedded.metadata.namespace == 's'", "refused: compilation failed: 1:23: undefined field 'namespace'", 0],
      ["self.embedded.spec.a == 'b'", "holds", 5, 5],
    ],
  )
})

describe("names that are escaped", () => {
  itJudges(
    {
      properties: {
        "9": { type: "integer" },
        "a-b": { type: "integer" },
        "a.b": { type: "integer" },
        "a/b": { type: "integer" },
        a__b: { type: "integer" },
        namespace: { type: "integer" },
        true: { type: "integer" },
        if: { type: "integer" },
        self: { type: "integer" },
        int: { type: "integer" },
        "x y": { type: "integer" },
        $z: { type: "integer" },
        _u: { type: "integer" },
      },
      object: { "9": 13, "a-b": 1, "a.b": 2, "a/b": 3, a__b: 4, namespace: 5, true: 6, if: 7, self: 8, int: 9, "x y": 10, $z: 11, _u: 12 },
    },
    [
      ["self.a__dash__b == 1 && self.a__dot__b == 2 && self.a__slash__b == 3 && self.a__underscores__b == 4", "holds", 12, 8],
      ["self.__namespace__ == 5 && self.__true__ == 6 && self.__if__ == 7", "holds", 9, 6],
      ["self.self == 8 && self.int == 9 && self._u == 12", "holds", 9, 6],
      ["self.namespace == 5", "holds", 3, 3],
      ["self.a__b == 4", "refused: compilation failed: 1:5: undefined field 'a__b'", 0],
      ["self.x__space__y == 10", "refused: compilation failed: 1:5: undefined field 'x__space__y'", 0],
      ["self.z == 11", "refused: compilation failed: 1:5: undefined field 'z'", 0],
      ["has(self.__namespace__) && has(self.a__dash__b)", "holds", 2, 2],
      ["self.`a-b` == 1", "refused: compilation failed: 1:6: unsupported syntax: '`'", 0],
    ],
  )
})

describe("nulls and absent fields", () => {
  itJudges(
    {
      properties: {
        n: { type: "string", nullable: true },
        m: { type: "string", nullable: true },
        a: { type: "string" },
        l: { type: "array", items: { type: "string", nullable: true } },
        d: { type: "object", additionalProperties: { type: "string", nullable: true } },
      },
      object: { n: null, l: ["x", null], d: { k: null, j: "v" } },
    },
    [
      ["has(self.n)", "root: Invalid value: failed rule: has(self.n)", 1, 1],
      ["has(self.m) || has(self.a)", "root: Invalid value: failed rule: has(self.m) || has(self.a)", 2, 2],
      ["self.n == null", "refused: compilation failed: 1:8: found no matching overload for '_==_' applied to '(string, null)'", 0],
      ["self.a == ''", "root: Invalid value: \"object\": no such key: a evaluating rule: self.a == ''", 2, 2],
      ["!has(self.a) || self.a == 'x'", "holds", 2, 5],
      [
        "self.l[1] == null && self.l[0] != null",
        "refused: compilation failed: 1:11: found no matching overload for '_==_' applied to '(string, null)'; 1:32: found no matching overload for '_!=_' applied to '(string, null)'",
        0,
      ],
      [
        "self.l.all(x, x == null || x == 'x')",
        "refused: compilation failed: 1:17: found no matching overload for '_==_' applied to '(string, null)'",
        0,
      ],
      [
        "'k' in self.d && self.d['k'] == null",
        "refused: compilation failed: 1:30: found no matching overload for '_==_' applied to '(string, null)'",
        0,
      ],
      [
        "self.d.k == null && self.d.j == 'v'",
        "refused: compilation failed: 1:10: found no matching overload for '_==_' applied to '(string, null)'",
        0,
      ],
      ["self.l.size() == 2 && self.d.size() == 2", "holds", 8, 8],
      ["self.n.size() == 0", 'root: Invalid value: "object": no such key: n evaluating rule: self.n.size() == 0', 4, 4],
    ],
  )
})
