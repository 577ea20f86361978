import { describe } from "vitest"
import { kubernetesEnvironment } from "../kubernetes/index.ts"
import { itComesTo } from "../testing/expression-table.ts"

const environment = kubernetesEnvironment()

describe("what && and || make up for is charged", () => {
  itComesTo(
    [
      ["labels.z == 'a' || true", "true", 3],
      ["labels.z == s || true", "true", 4],
      ["s == labels.z || true", "true", 4],
      ["labels.z + s == s || true", "true", 6],
      ["labels.z.startsWith('a') || true", "true", 3],
      ["labels.z.contains(s) || true", "true", 4],
      ["s.contains(labels.z) || true", "true", 4],
      ["labels.z.matches('^a') || true", "true", 2],
      ["labels.z.find('a') == '' || true", "true", 2],
      ["labels.z.replace('a', 'b') == '' || true", "true", 2],
      ["s.replace(labels.z, 'b') == '' || true", "true", 3],
      ["s.substring(0, numbers[9]) == '' || true", "true", 4],
      ["names[numbers[9]] == s || true", "true", 5],
      ["numbers[9] + n > 0 || true", "true", 5],
      ["n + numbers[9] > 0 || true", "true", 5],
      ["n / 0 > 0 || true", "true", 3],
      ["n > 0 || numbers[9] > 0", "true", 2],
      ["!(numbers[9] > 0) || true", "true", 4],
      ["numbers[9] > 0 && false", "false", 3],
      ["[n, numbers[9]] == [] || true", "true", 13],
      ["{'a': numbers[9]} == {} || true", "true", 32],
      ["has(labels.z.y) || true", "refused: type 'string' does not support field selection", 0],
      ["(labels.z == 'a' ? true : false) || true", "true", 3],
      ["(flag ? labels.z : s) == '' || true", "true", 2],
      ["numbers.all(x, x / 0 > 0) || true", "true", 14],
      ["numbers.exists(x, x / (x - 1) > 5) || true", "true", 20],
      ["numbers.map(x, x / 0) == [] || true", "true", 30],
      ["numbers.filter(x, x / 0 > 1) == [] || true", "true", 8],
      ["numbers.exists_one(x, x / 0 == 1) || true", "true", 9],
      ["labels.transformMap(k, v, labels.z) == {} || true", "true", 7],
      ["names[?numbers[9]].hasValue() || true", "true", 3],
      ["labels.?z.value() == '' || true", "true", 2],
      ["optional.of(numbers[9]).hasValue() || true", "true", 4],
      ["quantity(labels.z).isInteger() || true", "true", 4],
      ["d.x == 1 || true", "true", 3],
      ["d[0] == 1 || true", "true", 3],
      ["d.startsWith('a') || true", "true", 2],
      ["size(d) > 0 || true", "true", 3],
      ["d + 1 > 0 || true", "true", 3],
      ["d.all(x, x) || true", "true", 1],
    ],
    environment,
  )
})

describe("values of wrong types", () => {
  itComesTo(
    [
      // found by the fuzzer, seed 2424
      ["[null].sum()", "fails: no such overload: sum(list)", 1],
      ["[null, null].max()", "fails: no such overload: max(list)", 2],
      ["d.x", "fails: no such key: x", 2],
      ["d[0]", "fails: no such key: 0", 2],
      ["d['a']", "fails: no such key: a", 2],
      ["has(d.x)", "false", 1],
      ["d.?x", "none", 1],
      ["dyn(numbers).x", "fails: unsupported index type 'string' in list", 4],
      ["has(dyn(numbers).x)", "fails: unsupported index type 'string' in list", 3],
      ["dyn(names)['a']", "fails: unsupported index type 'string' in list", 4],
      ["labels[dyn(1)]", "fails: no such key: 1", 2],
      ["names[dyn('a')]", "fails: unsupported index type 'string' in list", 2],
      ["labels[dyn(null)]", "cannot be: invalid qualifier type: types.Null", 0],
      ["names[dyn(1.0)]", '"b"', 2],
      ["names[dyn(1.5)]", "fails: unsupported index value 1.5 in list", 2],
      ["d == 'a'", "false", 2],
      ["d != 'a'", "true", 2],
      ["dyn(quantity('1')) == 1", "fails: no such overload", 3],
      ["dyn(quantity('1')) != 1", "true", 3],
      ["1 in dyn(1)", "fails: no such overload", 1],
      ["1 in dyn({'a': 1})", "false", 1],
      ["d + 'a'", "fails: no such overload", 2],
      ["-dyn(names)", "fails: no such overload: -_", 3],
      ["!d", "fails: no such overload", 2],
      ["d && true", "fails: no such overload", 1],
      ["d ? 1 : 2", "fails: no such overload", 1],
      ["d < 'a'", "fails: no such overload", 2],
      ["dyn(names) < d", "fails: no such overload: _<_", 4],
      ["size(d)", "fails: no such overload: size", 2],
      ["d.size()", "fails: no such overload: size", 2],
      ["d.contains('a')", "fails: no such overload", 2],
      ["d.matches('a')", "fails: no such overload", 2],
      ["d.matches(s)", "fails: no such overload: matches", 3],
      ["s.matches(d)", "fails: no such overload", 3],
      ["d.trim()", "fails: no such overload: trim(int)", 2],
      ["s.split(d)", "fails: no such overload: split(string, int)", 3],
      ["d.find('a')", "fails: no such overload", 2],
      ["d.find(s)", "fails: no such overload: find(int, string)", 3],
      ["d.sort()", "fails: no such overload: sort", 2],
      ["d.distinct()", "fails: internal error: interface conversion: types.Int is not traits.Lister: missing method Contains", 1],
      ["d.flatten()", "fails: no such overload: int.flatten()", 13],
      ["d.sum()", "fails: no such overload: sum(int)", 2],
      ["d.isSorted()", "fails: no such overload: isSorted(int)", 2],
      ["sets.contains(d, [1])", "fails: no such overload: sets.contains(int, list)", 3],
      ["strings.quote(d)", "fails: no such overload: strings.quote(int)", 2],
      ["quantity(d)", "fails: no such overload: quantity(int)", 2],
      ["ip(d)", "fails: no such overload: ip(int)", 2],
      ["d.family()", "fails: no such overload: family(int)", 2],
      ["cidr('10.0.0.0/8').containsIP(d)", "fails: no such overload: containsIP(net.CIDR, int)", 3],
      ["d.validate('a')", "fails: no such overload: validate(int, string)", 2],
      ["d.value()", "fails: no such overload: value(int)", 2],
      ["d.all(x, true)", "fails: got 'types.Int', expected iterable type", 1],
      ["d.map(x, x)", "fails: got 'types.Int', expected iterable type", 1],
      ["'%d'.format([d])", '"1"', 12],
      ["'%s'.format(d)", "fails: no such overload: format(string, int)", 2],
    ],
    environment,
  )
})

describe("what no operator absorbs", () => {
  itComesTo(
    [
      [
        "[1].map(x, x / 0).sort() == [] || true",
        "fails: internal error: interface conversion: *types.Err is not traits.Lister: missing method Add",
        15,
      ],
      [
        "d.distinct() == [] || true",
        "fails: internal error: interface conversion: types.Int is not traits.Lister: missing method Contains",
        1,
      ],
      ["{bytes(s): 1}.size() == 1 || true", "fails: internal error: runtime error: hash of unhashable type types.Bytes", 2],
      ["{semver('1.2.3'): 1}.size() == 1 || true", "fails: internal error: runtime error: hash of unhashable type cel.Semver", 1],
    ],
    environment,
  )
})

describe("keys of maps", () => {
  itComesTo(
    [
      ["{'a': 1, 'a': 2}", '{"a": 2}', 0],
      ["{1.5: 'a'}[1.5]", '"a"', 2],
      ["{[1]: 2}.size()", "1", 1],
      ["{labels: 1}.size()", "1", 32],
      ["{null: 1}.size()", "1", 1],
      ["duration('1s') in {duration('1s'): 1}", "true", 1],
      ["ip('10.1.2.3') in {ip('10.1.2.3'): 1}", "true", 33],
      ["quantity('1') in {quantity('1'): 1}", "false", 33],
      ["{quantity('1'): 1}.size()", "1", 32],
      ["{quantity('1'): 1}[quantity('1')]", "fails: invalid qualifier type: cel.Quantity", 34],
      ["{'a': 1, ?'a': optional.none()}", "{}", 31],
    ],
    environment,
  )
})

/** The checker takes null for an optional, and what `or` and `orValue` return of it for what their argument is. */
describe("null in place of an optional", () => {
  itComesTo(
    [
      ["double(null.orValue('[a-z]+'))", "fails: no such overload: double(null_type)", 1],
      ["size(null.orValue('a'))", "fails: no such overload: size", 1],
      ["string(null.orValue(1))", "fails: no such overload: string(null_type)", 1],
      ["null.orValue('a').startsWith('b')", "fails: no such overload", 1],
      ["null.orValue(1) + 1", "fails: no such overload: _+_", 1],
      ["null.or(optional.of('a')).hasValue()", "fails: no such overload: hasValue(null_type)", 1],
      ["[null.orValue('b')].join('')", "fails: no such overload: join(list, string)", 11],
      ["'a'.replace(null.orValue('b'), 'c')", "fails: no such overload: replace(string, null_type, string)", 1],
      ["quantity(null.orValue('1'))", "fails: no such overload: quantity(null_type)", 1],
    ],
    environment,
  )
})

describe("what is no list", () => {
  const refusal = "refused: sortBy can only be applied to a list, identifier, comprehension, call or select expression"
  itComesTo(
    [
      ["'cab'.sortBy(x, x)", refusal, 0],
      ["{'a': 1}.sortBy(x, x)", refusal, 0],
      ["dyn('a').exists(k, x, k)", "fails: unsupported comprehension range type: types.String", 0],
      ["names.sortBy(x, x)", '["a", "b"]', 49],
    ],
    environment,
  )
})

describe("what optMap binds and nothing reads", () => {
  itComesTo(
    [
      ["optional.of(n).optMap(x, 'a')", 'optional "a"', 4],
      ["optional.of(n).optMap(x, x)", "optional 1", 8],
    ],
    environment,
  )
})
