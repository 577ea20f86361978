import { describe, expect, it } from "vitest"
import type { JsonSchema } from "../schema/json-schema.ts"
import { compileRules } from "./compile-rules.ts"

/** Returns the most that a rule of a schema is estimated to cost; kube-apiserver comes to the same. */
function estimate(schema: JsonSchema, rule: string): number | undefined {
  const { root } = compileRules({ ...schema, "x-kubernetes-validations": [{ rule }] }, { isResourceRoot: false })
  return root?.rules[0]?.program?.estimateCost().max
}

const elements: Readonly<Record<string, JsonSchema>> = {
  number: { type: "number" },
  integer: { type: "integer" },
  string: { type: "string" },
  boolean: { type: "boolean" },
  byte: { type: "string", format: "byte" },
  date: { type: "string", format: "date" },
  "date-time": { type: "string", format: "date-time" },
  duration: { type: "string", format: "duration" },
  "int-or-string": { "x-kubernetes-int-or-string": true },
  object: { type: "object", required: ["name"], properties: { name: { type: "string" }, size: { type: "integer" } } },
  list: { type: "array", items: { type: "number" } },
  map: { type: "object", additionalProperties: { type: "number" } },
  enum: { type: "string", enum: ["tiny", "medium", "very large"] },
}

describe("a list of any length and of at most 7 items", () => {
  it.each<[of: string, rule: string, unbounded: number, bounded: number]>([
    ["number", "self.exists(e, false)", 6291454, 30],
    ["number", "self[2] == self[0]", 4, 4],
    ["number", "self.filter(e, e == self[0]).size() < 3", 25165822, 126],
    ["number", "self.all(i, e, i >= 0)", 7864317, 37],
    ["integer", "self.exists(e, false)", 6291454, 30],
    ["integer", "self[2] == self[0]", 4, 4],
    ["integer", "self.filter(e, e == self[0]).size() < 3", 25165822, 126],
    ["integer", "self.all(i, e, i >= 0)", 7864317, 37],
    ["string", "self.exists(e, false)", 4194302, 30],
    ["string", "self[2] == self[0]", 314577, 314577],
    ["string", "self.filter(e, e == self[0]).size() < 3", 329870160689, 2202137],
    ["string", "self.all(i, e, i >= 0)", 5242877, 37],
    ["boolean", "self.exists(e, false)", 2516582, 30],
    ["boolean", "self[2] == self[0]", 4, 4],
    ["boolean", "self.filter(e, e == self[0]).size() < 3", 10066334, 126],
    ["boolean", "self.all(i, e, i >= 0)", 3145727, 37],
    ["byte", "self.exists(e, false)", 4194302, 30],
    ["byte", "self[2] == self[0]", 314577, 314577],
    ["byte", "self.filter(e, e == self[0]).size() < 3", 329870160689, 2202137],
    ["byte", "self.all(i, e, i >= 0)", 5242877, 37],
    ["date", "self.exists(e, false)", 967914, 30],
    ["date", "self[2] == self[0]", 6, 6],
    ["date", "self.filter(e, e == self[0]).size() < 3", 4355618, 140],
    ["date", "self.all(i, e, i >= 0)", 1209892, 37],
    ["date-time", "self.exists(e, false)", 571950, 30],
    ["date-time", "self[2] == self[0]", 8, 8],
    ["date-time", "self.filter(e, e == self[0]).size() < 3", 2859754, 154],
    ["date-time", "self.all(i, e, i >= 0)", 714937, 37],
    ["duration", "self.exists(e, false)", 3145726, 30],
    ["duration", "self[2] == self[0]", 8, 8],
    ["duration", "self.filter(e, e == self[0]).size() < 3", 15728634, 154],
    ["duration", "self.all(i, e, i >= 0)", 3932157, 37],
    ["int-or-string", "self.exists(e, false)", 6291454, 30],
    ["int-or-string", "self[2] == self[0]", 314577, 314577],
    ["int-or-string", "self.filter(e, e == self[0]).size() < 3", 494805398321, 2202137],
    ["int-or-string", "self.all(i, e, i >= 0)", 7864317, 37],
    ["object", "self.exists(e, false)", 967914, 30],
    ["object", "self[2] == self[0]", 4, 4],
    ["object", "self.filter(e, e == self[0]).size() < 3", 3871662, 126],
    ["object", "self.all(i, e, i >= 0)", 1209892, 37],
    ["list", "self.exists(e, false)", 4194302, 30],
    ["list", "self[2] == self[0]", 157291, 157291],
    ["list", "self.filter(e, e == self[0]).size() < 3", 164943993239, 1101135],
    ["list", "self.all(i, e, i >= 0)", 5242877, 37],
    ["map", "self.exists(e, false)", 4194302, 30],
    ["map", "self[2] == self[0]", 44943, 44943],
    ["map", "self.filter(e, e == self[0]).size() < 3", 47138689139, 314699],
    ["map", "self.all(i, e, i >= 0)", 5242877, 37],
    ["enum", "self.exists(e, false)", 4194302, 30],
    ["enum", "self[2] == self[0]", 5, 5],
    ["enum", "self.filter(e, e == self[0]).size() < 3", 17825789, 133],
    ["enum", "self.all(i, e, i >= 0)", 5242877, 37],
  ])("of %s: %s", (of, rule, unbounded, bounded) => {
    const list: JsonSchema = { type: "array", items: elements[of] as JsonSchema }
    expect([estimate(list, rule), estimate({ ...list, maxItems: 7 }, rule)]).toEqual([unbounded, bounded])
  })
})

describe("a map of any size and of at most 7 entries", () => {
  it.each<[of: string, rule: string, unbounded: number, bounded: number]>([
    ["number", "self.exists(k, false)", 1797558, 30],
    ["number", "has(self.key)", 1, 1],
    ["number", "self.all(k, self[k] == self[k])", 4044503, 65],
    ["number", "'key' in self && self.size() == 1", 5, 5],
    ["integer", "self.exists(k, false)", 1797558, 30],
    ["integer", "has(self.key)", 1, 1],
    ["integer", "self.all(k, self[k] == self[k])", 4044503, 65],
    ["integer", "'key' in self && self.size() == 1", 5, 5],
    ["string", "self.exists(k, false)", 1572862, 30],
    ["string", "has(self.key)", 1, 1],
    ["string", "self.all(k, self[k] == self[k])", 123698361132, 2202076],
    ["string", "'key' in self && self.size() == 1", 5, 5],
    ["boolean", "self.exists(k, false)", 1258290, 30],
    ["boolean", "has(self.key)", 1, 1],
    ["boolean", "self.all(k, self[k] == self[k])", 2831150, 65],
    ["boolean", "'key' in self && self.size() == 1", 5, 5],
    ["byte", "self.exists(k, false)", 1572862, 30],
    ["byte", "has(self.key)", 1, 1],
    ["byte", "self.all(k, self[k] == self[k])", 123698361132, 2202076],
    ["byte", "'key' in self && self.size() == 1", 5, 5],
    ["date", "self.exists(k, false)", 699050, 30],
    ["date", "has(self.key)", 1, 1],
    ["date", "self.all(k, self[k] == self[k])", 1922384, 79],
    ["date", "'key' in self && self.size() == 1", 5, 5],
    ["date-time", "self.exists(k, false)", 466034, 30],
    ["date-time", "has(self.key)", 1, 1],
    ["date-time", "self.all(k, self[k] == self[k])", 1514606, 93],
    ["date-time", "'key' in self && self.size() == 1", 5, 5],
    ["duration", "self.exists(k, false)", 1398102, 30],
    ["duration", "has(self.key)", 1, 1],
    ["duration", "self.all(k, self[k] == self[k])", 4543827, 93],
    ["duration", "'key' in self && self.size() == 1", 5, 5],
    ["int-or-string", "self.exists(k, false)", 1797558, 30],
    ["int-or-string", "has(self.key)", 1, 1],
    ["int-or-string", "self.all(k, self[k] == self[k])", 141369690400, 2202076],
    ["int-or-string", "'key' in self && self.size() == 1", 5, 5],
    ["object", "self.exists(k, false)", 699050, 30],
    ["object", "has(self.key)", 1, 1],
    ["object", "self.all(k, self[k] == self[k])", 1572860, 65],
    ["object", "'key' in self && self.size() == 1", 5, 5],
    ["list", "self.exists(k, false)", 1572862, 30],
    ["list", "has(self.key)", 1, 1],
    ["list", "self.all(k, self[k] == self[k])", 61851146642, 1101074],
    ["list", "'key' in self && self.size() == 1", 5, 5],
    ["map", "self.exists(k, false)", 1572862, 30],
    ["map", "has(self.key)", 1, 1],
    ["map", "self.all(k, self[k] == self[k])", 17674227822, 314638],
    ["map", "'key' in self && self.size() == 1", 5, 5],
    ["enum", "self.exists(k, false)", 1572862, 30],
    ["enum", "has(self.key)", 1, 1],
    ["enum", "self.all(k, self[k] == self[k])", 3932152, 72],
    ["enum", "'key' in self && self.size() == 1", 5, 5],
  ])("of %s: %s", (of, rule, unbounded, bounded) => {
    const map: JsonSchema = { type: "object", additionalProperties: elements[of] as JsonSchema }
    expect([estimate(map, rule), estimate({ ...map, maxProperties: 7 }, rule)]).toEqual([unbounded, bounded])
  })
})

describe("a text of any length, of none and of at most 20 characters", () => {
  it.each<[rule: string, unbounded: number, empty: number, bounded: number]>([
    ["self.contains('part')", 314574, 1, 9],
    ["self.startsWith('part')", 2, 2, 2],
    ["self.endsWith('part')", 2, 2, 2],
    ["self + self == ''", 629148, 2, 18],
    ["self.matches('^[a-z]*$')", 629147, 3, 19],
    ["self.matches('')", 1, 1, 1],
    ["self.find('[0-9]+') == ''", 629147, 3, 19],
    ["self.findAll('[0-9]+').size() == 0", 629149, 5, 21],
    ["self.replace('a', 'bb') == self", 943721, 2, 26],
    ["self.replace('', self) == self", 943722, 3, 27],
    ["self.split(',').all(x, x.size() > 0)", 19503504, 2, 498],
    ["self.lowerAscii() == self", 629148, 2, 18],
    ["self.upperAscii().contains(self)", 98956486904, 2, 74],
    ["self.size() > 1", 3, 3, 3],
    ["self.substring(1) == self.trim()", 943721, 2, 26],
    ["self.split(',').join('; ') == self", 1844674407371899100, 2, 1844674407370955300],
    ["isQuantity(self)", 314574, 1, 9],
    ["isURL(self) && url(self).getHost() == ''", 314577, 4, 12],
    ["isIP(self) || isCIDR(self)", 629148, 2, 18],
    ["format.dns1123Label().validate(self).hasValue()", 10066339, 3, 259],
    ["isSemver(self)", 314574, 1, 9],
    ["bytes(self) == b'a'", 314575, 1, 10],
    ["duration(self) > duration('1s')", 4, 4, 4],
    ["self in ['a', 'b']", 13, 13, 13],
    ["self < 'm'", 2, 1, 2],
    ["'%s!'.format([self]) == self", 314586, 13, 21],
    ["strings.quote(self) == self", 629148, 2, 18],
    ["self.charAt(0) == 'a' || self.indexOf('b') > 0", 314578, 5, 13],
    ["string(self) == self", 314576, 3, 11],
    ["sets.contains([self], ['a'])", 23, 23, 23],
    ["type(self) == string", 314576, 3, 11],
    ["self.split(',', 3).size() < 3", 629149, 3, 19],
    ["self.split(',').isSorted()", 18446744073709552000, 1, 18446744073709552000],
    ["int(self) > 3 && double(self) > 3.5", 6, 6, 6],
  ])("%s", (rule, ...estimates) => {
    const found = [undefined, 0, 20].map((maxLength) => estimate({ type: "string", ...(maxLength !== undefined && { maxLength }) }, rule))
    expect(found).toEqual(estimates)
  })
})

describe("bytes of any length, of none and of at most 20", () => {
  it.each<[rule: string, unbounded: number, empty: number, bounded: number]>([
    ["self.size() > 2", 3, 3, 3],
    ["self == b'ab'", 2, 1, 2],
    ["self + self == b'abab'", 629149, 2, 7],
    ["string(self) == 'ab'", 314575, 1, 4],
  ])("%s", (rule, ...estimates) => {
    const bytes: JsonSchema = { type: "string", format: "byte" }
    const found = [undefined, 0, 20].map((maxLength) => estimate({ ...bytes, ...(maxLength !== undefined && { maxLength }) }, rule))
    expect(found).toEqual(estimates)
  })
})

describe("an integer or a text of any length and of at most 20 characters", () => {
  it.each<[rule: string, unbounded: number, bounded: number]>([
    ["isQuantity(self)", 314574, 9],
    ["type(self) == int ? self > 3 : self.contains('%')", 629150, 20],
    ["quantity(self).isLessThan(quantity('3'))", 314576, 11],
  ])("%s", (rule, ...estimates) => {
    const either = elements["int-or-string"] as JsonSchema
    expect([estimate(either, rule), estimate({ ...either, maxLength: 20 }, rule)]).toEqual(estimates)
  })
})

describe("a text that is one of three, with and without a longest length", () => {
  it.each<[rule: string, enumerated: number, bounded: number]>([
    ["self.contains('a')", 2, 201],
    ["self == 'tiny'", 2, 2],
  ])("%s", (rule, ...estimates) => {
    const choice = elements["enum"] as JsonSchema
    expect([estimate(choice, rule), estimate({ ...choice, maxLength: 500 }, rule)]).toEqual(estimates)
  })
})

describe("comprehensions in comprehensions over a list of any length, of at most 10 and of at most 300 items", () => {
  it.each<[rule: string, unbounded: number, short: number, long: number]>([
    ["self.all(a, self.all(b, a <= b))", 14843395964931, 652, 541502],
    ["self.all(a, self.all(b, self.all(c, a < b + c)))", 18446744073709552000, 8552, 216451502],
    ["self.exists_one(a, self.map(b, a * b).max() == 3.0)", 39582391861252, 1753, 1444503],
  ])("%s", (rule, ...estimates) => {
    const numbers = elements["list"] as JsonSchema
    const found = [undefined, 10, 300].map((maxItems) => estimate({ ...numbers, ...(maxItems !== undefined && { maxItems }) }, rule))
    expect(found).toEqual(estimates)
  })
})

describe("lists in maps in lists, each of at most 5 or of any size", () => {
  it.each<[teams?: number, kinds?: number, members?: number, length?: number, cost?: number]>([
    [undefined, undefined, undefined, undefined, 18446744073709552000],
    [undefined, undefined, undefined, 5, 18446744073709552000],
    [undefined, undefined, 5, undefined, 15255675732003],
    [undefined, undefined, 5, 5, 15255675732003],
    [undefined, 5, undefined, undefined, 576489339591589900],
    [undefined, 5, undefined, 5, 576489339591589900],
    [undefined, 5, 5, undefined, 199229253],
    [undefined, 5, 5, 5, 199229253],
    [5, undefined, undefined, undefined, 216183158730129400],
    [5, undefined, undefined, 5, 216183158730129400],
    [5, undefined, 5, undefined, 72744803],
    [5, undefined, 5, 5, 72744803],
    [5, 5, undefined, undefined, 2748918005828],
    [5, 5, undefined, 5, 2748918005828],
    [5, 5, 5, undefined, 953],
    [5, 5, 5, 5, 953],
  ])("teams %s, kinds %s, members %s, characters %s", (maxItems, maxProperties, members, maxLength, cost) => {
    const names: JsonSchema = { type: "array", maxItems: members, items: { type: "string", maxLength } }
    const teams: JsonSchema = { type: "array", maxItems, items: { type: "object", maxProperties, additionalProperties: names } }
    const rule = "self.teams.all(t, t.all(k, t[k].all(m, m.startsWith(k))))"
    expect(estimate({ type: "object", properties: { teams } }, rule)).toBe(cost)
  })
})
