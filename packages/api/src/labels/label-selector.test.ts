import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { LabelSelector } from "../meta/meta.ts"
import { type LabelOperator, type LabelRequirement, labelRequirement, matchesRequirement } from "./label-requirement.ts"
import {
  equalityRequirement,
  everything,
  formatLabelSelector,
  fromRequirements,
  isEverything,
  labelSelectorOf,
  matchesLabels,
  nothing,
  parseLabelSelector,
  selectorFromLabels,
  selectorOf,
} from "./label-selector.ts"

describe("reading the text form", () => {
  test.each([
    ["", ""],
    ["  ", ""],
    ["a", "a"],
    ["!a", "!a"],
    ["! a", "!a"],
    ["a=b", "a=b"],
    ["a = b", "a=b"],
    ["a==b", "a==b"],
    ["a!=b", "a!=b"],
    ["a=", "a="],
    ["a=,b", "a=,b"],
    ["a>5", "a>5"],
    ["a < 7", "a<7"],
    ["e in (y,x)", "e in (x,y)"],
    ["e in (x,x)", "e in (x)"],
    ["e in ()", "e in ()"],
    ["e in (x,)", "e in (,x)"],
    ["e in (,x)", "e in (,x)"],
    ["e in (x,,y)", "e in (,x,y)"],
    ["f notin (z)", "f notin (z)"],
    ["in in (in,notin)", "in in (in,notin)"],
    ["in", "in"],
    ["notin=in", "notin=in"],
    ["x.y/z=1", "x.y/z=1"],
    ["b,a", "a,b"],
    ["z=1,!y,x in (a),w notin (b),v!=c,u", "u,v!=c,w notin (b),x in (a),!y,z=1"],
  ])("%j is %j", (text, canonical) => {
    expect(formatLabelSelector(parseLabelSelector(text))).toBe(canonical)
  })

  const name =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
  const value =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
  test.each([
    ["=", "found '=', expected: !, identifier, or 'end of string'"],
    [",a", "found ',', expected: !, identifier, or 'end of string'"],
    ["a,", "found '', expected: identifier after ','"],
    ["a,,b", "found ',', expected: identifier after ','"],
    ["a=b c", "found 'c', expected: ',' or 'end of string'"],
    ["!a=b", "found '=', expected: ',' or 'end of string'"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["!=a", "found '!=', expected: !, identifier, or 'end of string'"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a(", "unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt"],
    ["a==!b", "unable to parse requirement: found '!', expected: identifier"],
    ["a===b", "unable to parse requirement: found '=', expected: identifier"],
    ["a in", "unable to parse requirement: found '' expected: '('"],
    ["a in b", "unable to parse requirement: found 'b' expected: '('"],
    ["a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ["a in (x", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (x y)", "unable to parse requirement: found 'y', expected: ',' or ')'"],
    ["a in (x,", "unable to parse requirement: found '', expected: ',', or identifier"],
    ["a in (x,=)", "unable to parse requirement: found '=', expected: ',', or identifier"],
    ["_a=b", `unable to parse requirement: <nil>: Invalid value: "_a": ${name}`],
    ["a=-", `unable to parse requirement: values[0][a]: Invalid value: "-": ${value}`],
    ["a>x", `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`],
    [`a=${"v".repeat(64)}`, `unable to parse requirement: values[0][a]: Invalid value: "${"v".repeat(64)}": must be no more than 63 bytes`],
    ["a in (-,_)", `unable to parse requirement: [values[0][a]: Invalid value: "-": ${value}, values[1][a]: Invalid value: "_": ${value}]`],
  ])("%j is refused", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ code: "INVALID", message }))
  })
})

describe("matching", () => {
  const labels = { app: "web", tier: "front", size: "10", none: "" }
  test.each([
    ["", true],
    ["app=web", true],
    ["app==web,tier=front", true],
    ["app=db", false],
    ["other=web", false],
    ["app!=db", true],
    ["app!=web", false],
    ["other!=web", true],
    ["app in (db,web)", true],
    ["other in (web)", false],
    ["app notin (db)", true],
    ["app notin (web)", false],
    ["other notin (web)", true],
    ["app", true],
    ["other", false],
    ["!app", false],
    ["!other", true],
    ["none=", true],
    ["none", true],
    ["other=", false],
    ["size>9", true],
    ["size>10", false],
    ["size<11", true],
    ["app>1", false],
    ["other<1", false],
    ["constructor", false],
    ["!toString", true],
  ])("%j against the labels is %s", (text, matches) => {
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(matches)
  })

  test("an object without labels matches what asks for nothing", () => {
    expect(["", "!a", "a!=b", "a", "a=b"].map((text) => matchesLabels(parseLabelSelector(text), undefined))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })

  test("numbers beyond 64 bits are on neither side", () => {
    expect(matchesLabels(parseLabelSelector("a>5"), { a: "9223372036854775807" })).toBe(true)
    expect(matchesLabels(parseLabelSelector("a>5"), { a: "9223372036854775808" })).toBe(false)
  })
})

describe("the object form", () => {
  test("an absent selector selects nothing, an empty one everything", () => {
    expect(selectorOf(undefined)).toBe(nothing)
    expect(selectorOf({})).toBe(everything)
    expect(selectorOf({ matchLabels: {}, matchExpressions: [] })).toBe(everything)
    expect([matchesLabels(nothing, {}), matchesLabels(everything, undefined)]).toEqual([false, true])
    expect([isEverything(nothing), isEverything(everything)]).toEqual([false, true])
    expect(labelSelectorOf(nothing)).toBeUndefined()
    expect(labelSelectorOf(everything)).toEqual({})
  })

  test("labels and expressions all hold", () => {
    const selector: LabelSelector = {
      matchLabels: { tier: "front", app: "web" },
      matchExpressions: [
        { key: "size", operator: "In", values: ["s", "m"] },
        { key: "beta", operator: "DoesNotExist" },
        { key: "zone", operator: "Exists", values: [] },
        { key: "env", operator: "NotIn", values: ["dev"] },
      ],
    }
    expect(formatLabelSelector(selectorOf(selector))).toBe("app=web,!beta,env notin (dev),size in (m,s),tier=front,zone")
  })

  test.each<[LabelSelector, string]>([
    [{ matchExpressions: [{ key: "a", operator: "Gt", values: ["1"] }] }, '"Gt" is not a valid label selector operator'],
    [{ matchExpressions: [{ key: "a", operator: "constructor" }] }, '"constructor" is not a valid label selector operator'],
    [
      { matchExpressions: [{ key: "a", operator: "In", values: [] }] },
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      { matchExpressions: [{ key: "a", operator: "Exists", values: ["x"] }] },
      'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
    ],
  ])("%j is refused", (selector, message) => {
    expect(() => selectorOf(selector)).toThrow(expect.objectContaining({ code: "INVALID", message }))
  })

  test("the text form becomes the object form", () => {
    expect(labelSelectorOf(parseLabelSelector("a=b,c in (y,x),d,!e,f!=g"))).toEqual({
      matchLabels: { a: "b" },
      matchExpressions: [
        { key: "c", operator: "In", values: ["x", "y"] },
        { key: "d", operator: "Exists" },
        { key: "e", operator: "DoesNotExist" },
        { key: "f", operator: "NotIn", values: ["g"] },
      ],
    })
    expect(() => labelSelectorOf(parseLabelSelector("a>1"))).toThrow(`"gt" isn't supported in label selectors`)
  })

  test("a plain map is not checked: an old Service may hold anything", () => {
    expect(formatLabelSelector(selectorFromLabels({ b: "not valid!", a: "x" }))).toBe("a=x,b=not valid!")
    expect(selectorFromLabels(undefined)).toBe(everything)
  })
})

test.each([
  ["a=b", ["b"]],
  ["a==b", ["b"]],
  ["a in (x,y)", ["x", "y"]],
  ["a!=b", undefined],
  ["a", undefined],
  ["c=d", undefined],
  ["a,a=b", ["b"]],
])("an index of label a is asked for %j with the values %j", (text, values) => {
  expect(equalityRequirement(parseLabelSelector(text), "a")).toEqual(values)
})

test("a requirement says all that is wrong with it, and where it stands", () => {
  expect(() => labelRequirement("a b", "gt", ["x", "y"], "spec.terms[0]")).toThrow(/^\[spec\.terms\[0\]\.key: Invalid value: "a b": .*, /)
})

const keys = fc.constantFrom("a", "b", "app", "in", "notin", "x.y/z", "constructor", "A_b.c")
const values = fc.constantFrom("", "a", "b", "in", "5", "17", "x_y")
const requirements = fc.oneof(
  fc.record({ key: keys, operator: fc.constantFrom("=" as const, "==" as const, "!=" as const), values: fc.tuple(values) }),
  fc.record({
    key: keys,
    operator: fc.constantFrom("in" as const, "notin" as const),
    values: fc.uniqueArray(values, { minLength: 1 }).map((list) => list.sort()),
  }),
  fc.record({ key: keys, operator: fc.constantFrom("exists" as const, "!" as const), values: fc.constant([]) }),
  fc.record({ key: keys, operator: fc.constantFrom("gt" as const, "lt" as const), values: fc.tuple(fc.nat().map(String)) }),
)
const selectors = fc.array(requirements, { maxLength: 5 }).map(fromRequirements)
const labelMaps = fc.dictionary(keys, values)

/** What the manual says, word by word. */
function holds({ key, operator, values: wanted }: LabelRequirement, labels: Map<string, string>): boolean {
  const has = labels.has(key)
  const value = labels.get(key) ?? ""
  if (operator === "exists" || operator === "!") return has === (operator === "exists")
  if (operator === "gt" || operator === "lt") {
    if (!/^\d+$/.test(value)) return false
    return operator === "gt" ? Number(value) > Number(wanted[0]) : Number(value) < Number(wanted[0])
  }
  const among = has && wanted.some((one) => one === value)
  return operator === "!=" || operator === "notin" ? !among : among
}

describe("properties", () => {
  test("the text reads back as the same selector", () => {
    fc.assert(
      fc.property(selectors, (selector) => {
        expect(parseLabelSelector(formatLabelSelector(selector))).toEqual(selector)
      }),
    )
  })

  test("matching is what each requirement says", () => {
    fc.assert(
      fc.property(selectors, labelMaps, (selector, labels) => {
        const map = new Map(Object.entries(labels))
        expect(matchesLabels(selector, labels)).toBe(selector.requirements.every((requirement) => holds(requirement, map)))
      }),
    )
  })

  test("the object form selects the same", () => {
    const unambiguous = fc.uniqueArray(requirements, { selector: ({ key }) => key, maxLength: 5 })
    fc.assert(
      fc.property(unambiguous, labelMaps, (list, labels) => {
        const selector = fromRequirements(list.filter(({ operator }) => operator !== "gt" && operator !== "lt"))
        expect(matchesLabels(selectorOf(labelSelectorOf(selector)), labels)).toBe(matchesLabels(selector, labels))
      }),
    )
  })

  test("an index asked for the values misses no object", () => {
    fc.assert(
      fc.property(selectors, labelMaps, keys, (selector, labels, key) => {
        const asked = equalityRequirement(selector, key)
        if (asked !== undefined && matchesLabels(selector, labels)) expect(asked).toContain(labels[key])
      }),
    )
  })

  test("no text makes anything but a selector or an INVALID error", () => {
    const tokens = fc.constantFrom("=", "==", "!=", "!", "(", ")", ",", ">", "<", " ", "in", "notin", "a", "b", "é", "\0", "-")
    fc.assert(
      fc.property(fc.string({ unit: tokens }), (text) => {
        try {
          formatLabelSelector(parseLabelSelector(text))
        } catch (error) {
          expect(error).toMatchObject({ code: "INVALID" })
        }
      }),
    )
  })
})

describe("a selector of many requirements", () => {
  const words = fc.constantFrom("a", "b", "c", "constructor")
  const requirement = fc.record({
    key: words,
    operator: fc.constantFrom("=", "!=", "in", "notin", "exists", "!") as fc.Arbitrary<LabelOperator>,
    values: fc.array(words, { minLength: 1, maxLength: 2 }),
  })

  test("matches as its requirements do one by one", () => {
    fc.assert(
      fc.property(fc.array(requirement, { minLength: 17, maxLength: 20 }), fc.dictionary(words, words), (requirements, labels) => {
        const expected = requirements.every((one) => matchesRequirement(one, labels))
        expect(matchesLabels(fromRequirements(requirements), labels)).toBe(expected)
      }),
    )
  })

  test("looks at no more requirements than there are labels", () => {
    const requirements = Array.from({ length: 1000 }, (_, at) => ({ key: `k${at}`, operator: "!" as const, values: [] }))
    let reads = 0
    const labels = new Proxy({ app: "web" } as Record<string, string>, {
      get: (target, key) => {
        reads++
        return target[String(key)]
      },
    })
    expect(matchesLabels(fromRequirements(requirements), labels)).toBe(true)
    expect(reads).toBe(0)
  })
})
