import { describe } from "vitest"
import { kubernetesEnvironment } from "../kubernetes/index.ts"
import { itComesTo } from "../testing/expression-table.ts"

const environment = kubernetesEnvironment()

describe("constants, lists and maps", () => {
  itComesTo(
    [
      ["1", "1", 0, 0],
      ["[1, 2]", "[1, 2]", 0, 10],
      ["[n, 2]", "[1, 2]", 11, 11],
      ["{'a': n}", '{"a": 1}', 31, 31],
      ["n + 1", "2", 2, 2],
      ["names", '["a", "b"]', 1, 1],
      ["names[0]", '"a"', 2, 2],
      ["labels['a']", '"b"', 2, 2],
      ["labels.a", '"b"', 2, 2],
      ["has(labels.a)", "true", 1, 1],
    ],
    environment,
  )
})

describe("texts", () => {
  itComesTo(
    [
      ["s.contains('bc')", "true", 2, 1.8446744073709553e18],
      ["s.startsWith('a')", "true", 2, 2],
      ["s.endsWith('abcdefghijklmnop')", "false", 2, 3],
      ["s == 'abc'", "true", 2, 2],
      ["s != 'abcdefghijklmnopqrstuvwxyz'", "true", 2, 4],
      ["s < 'abc'", "false", 2, 2],
      ["s + s", '"abcabc"', 3, 1.8446744073709553e18],
      ["bytes(s)", "bytes 616263", 2, 1.8446744073709553e18],
      ["string(raw)", '"abc"', 2, 1.8446744073709553e18],
      ["raw + raw == raw", "false", 5, 3.6893488147419105e18],
      ["s.matches('^[a-z]+$')", "true", 3, 3.6893488147419105e18],
      ["s.matches('')", "true", 1, 1],
      ["s.lowerAscii()", '"abc"', 2, 1.8446744073709553e18],
      ["s.upperAscii()", '"ABC"', 2, 1.8446744073709553e18],
      ["s.substring(1)", '"bc"', 2, 1.8446744073709553e18],
      ["s.substring(0, 1)", '"a"', 2, 1.8446744073709553e18],
      ["s.trim()", '"abc"', 2, 1.8446744073709553e18],
      ["s.replace('a', 'bcd')", '"bcdbc"', 2, 3.6893488147419105e18],
      ["s.replace('a', 'bcd', 1)", '"bcdbc"', 2, 3.6893488147419105e18],
      ["s.split('b')", '["a", "c"]', 2, 3.6893488147419105e18],
      ["s.split('b', 2)", '["a", "c"]', 2, 3.6893488147419105e18],
      ["names.join()", '"ab"', 2, 1.8446744073709553e18],
      ["names.join(', ')", '"a, b"', 2, 1.8446744073709553e18],
      ["s.charAt(0)", '"a"', 2, 2],
      ["s.indexOf('c')", "2", 1, 1.8446744073709553e18],
      ["s.indexOf('c', 1)", "2", 1, 1.8446744073709553e18],
      ["s.lastIndexOf('c')", "2", 1, 1.8446744073709553e18],
      ["s.find('[a-c]')", '"a"', 3, 3.6893488147419105e18],
      ["s.findAll('[a-c]')", '["a", "b", "c"]', 3, 3.6893488147419105e18],
      ["s.findAll('[a-c]', 1)", '["a"]', 3, 3.6893488147419105e18],
      ["'%s'.format([s])", '"abc"', 12, 12],
      ["strings.quote(s)", '"\\"abc\\""', 2, 1.8446744073709553e18],
      ["size(s)", "3", 2, 2],
    ],
    environment,
  )
})

describe("lists", () => {
  itComesTo(
    [
      ["names.isSorted()", "true", 1],
      ["numbers.isSorted()", "true", 3],
      ["numbers.sum()", "3", 3],
      ["numbers.min()", "1", 3],
      ["numbers.max()", "2", 3],
      ["names.max()", '"b"', 1],
      ["numbers.indexOf(2)", "1", 3],
      ["numbers.lastIndexOf(2)", "1", 3],
      ["names.indexOf('b')", "1", 1],
      ["names.sort()", '["a", "b"]', 20],
      ["numbers.sort()", "[1, 2]", 20],
      ["numbers.sortBy(x, -x)", "[2, 1]", 51],
      ["names.distinct()", '["a", "b"]', 20],
      ["names.reverse()", '["b", "a"]', 14],
      ["names.slice(0, 1)", '["a"]', 13, 13],
      ["[[1, 2], [3]].flatten()", "[1, 2, 3]", 13, 43],
      ["[[[1, 2]]].flatten(2)", "[1, 2]", 13, 43],
      ["lists.range(5)", "[0, 1, 2, 3, 4]", 16, 16],
      ["names.first()", 'optional "a"', 2, 2],
      ["numbers.last()", "optional 2", 2, 2],
      ["1 in numbers", "true", 3],
      ["n in [1, 2, 3]", "true", 1, 14],
      ["s in names", "false", 4],
      ["s in labels", "false", 3, 3],
      ["names + names", '["a", "b", "a", "b"]', 3, 3],
      ["names == names", "true", 3, 1.8446744073709553e18],
      ["numbers == [1, 2]", "true", 2, 12],
      ["labels == labels", "true", 3, 1.8446744073709553e18],
      ["sets.contains(numbers, [1])", "true", 4],
      ["sets.equivalent(numbers, numbers)", "true", 11],
      ["sets.intersects(numbers, [5, 6, 7])", "false", 8],
    ],
    environment,
  )
})

describe("folds", () => {
  itComesTo(
    [
      ["numbers.all(x, x > 0)", "true", 12],
      ["numbers.all(x, x > 1)", "false", 9],
      ["numbers.exists(x, x == 1)", "true", 11],
      ["numbers.exists(x, x == 9)", "false", 14],
      ["numbers.exists_one(x, x == 1)", "true", 9],
      ["numbers.map(x, x + 1)", "[2, 3]", 30],
      ["numbers.map(x, x > 1, x + 1)", "[3]", 20],
      ["numbers.filter(x, x > 1)", "[2]", 19],
      ["labels.all(k, k != '')", "true", 6],
      ["labels.map(k, k)", '["a"]', 15],
      ["numbers.all(i, x, x > i)", "true", 14],
      ["labels.exists(k, v, v == 'b')", "true", 8],
      ["numbers.transformList(i, x, x * i)", "[0, 2]", 32],
      ["labels.transformMap(k, v, v + k)", '{"a": "ba"}', 8],
      ["labels.transformMapEntry(k, v, {v: k})", '{"b": "a"}', 36],
      ["names.all(x, names.all(y, x != y || x == y))", "true", 42],
    ],
    environment,
  )
})

describe("conditions, optionals and conversions", () => {
  itComesTo(
    [
      ["flag ? n : 2", "1", 1, 2],
      ["flag ? labels.a : s", '"b"', 2, 3],
      ["flag && n > 0", "true", 3, 3],
      ["!flag || n > 0", "true", 4, 4],
      ["flag || n > 0", "true", 1, 3],
      ["labels.?a", 'optional "b"', 2, 2],
      ["labels.?z.orValue('none')", '"none"', 1, 3],
      ["labels[?'a'].hasValue()", "true", 3, 3],
      ["names[?5]", "none", 1, 2],
      ["optional.of(s).optMap(x, x + s)", 'optional "abcabc"', 10, 1.8446744073709553e18],
      ["optional.ofNonZeroValue(n)", "optional 1", 2, 2],
      ["dyn(s) == 'abc'", "true", 3, 3],
      ["dyn(s) + 'abc' == s", "false", 5, 3.6893488147419105e18],
      ["int(f)", "1", 2, 2],
      ["string(n)", '"1"', 2, 2],
      ["type(n) == int", "true", 3, 1.8446744073709553e18],
      ["timestamp('2024-01-01T00:00:00Z') < timestamp('2024-01-02T00:00:00Z')", "true", 1, 3],
      ["timestamp('2024-01-01T00:00:00Z').getFullYear()", "2024", 1, 2],
      ["duration('1h') + duration('1m')", "duration 3660s", 1, 3],
    ],
    environment,
  )
})

describe("Kubernetes' types", () => {
  itComesTo(
    [
      ["url('https://example.com:80/path?query=val').getHost()", '"example.com:80"', 5, 5],
      ["isURL(s)", "false", 2, 2],
      ["url('https://example.com') == url('https://example.com')", "true", 5, 6],
      ["quantity('12Mi')", "kubernetes.Quantity", 1, 1],
      ["quantity('12Mi') == quantity('12Mi')", "true", 3, 3],
      ["quantity('12Mi').isLessThan(quantity('1Gi'))", "true", 3, 3],
      ["quantity('12Mi').add(5).asInteger()", "12582917", 3, 3],
      ["isQuantity(s)", "false", 2, 1.8446744073709553e18],
      ["semver('1.2.3') == semver('1.2.3')", "true", 3, 3],
      ["isSemver(s, true)", "false", 2, 1.8446744073709553e18],
      ["ip('10.1.2.3') == ip('10.1.2.3')", "true", 3, 3],
      ["isIP(s)", "false", 2, 1.8446744073709553e18],
      ["ip.isCanonical('fe80::1')", "true", 2, 2],
      ["cidr('10.0.0.0/8').containsIP('10.1.2.3')", "true", 3, 6],
      ["cidr('10.0.0.0/8').containsIP(ip('10.1.2.3'))", "true", 3, 6],
      ["cidr('2001:db8::/32').containsCIDR('2001:db8::/48')", "true", 7, 11],
      ["cidr('10.0.0.0/8').containsCIDR(cidr('10.1.0.0/16'))", "true", 6, 10],
      ["cidr('10.0.0.0/8').masked().prefixLength()", "8", 3, 3],
      ["format.dns1123Label().validate(s)", "none", 10],
      ["format.uri().validate('https://example.com')", "none", 553, 65],
      ["format.named('uuid')", "optional kubernetes.NamedFormat", 1, 1],
    ],
    environment,
  )
})
