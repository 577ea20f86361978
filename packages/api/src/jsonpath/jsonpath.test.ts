import { describe, expect, test } from "vitest"
import { type FindOptions, findResults, parseTemplate, printResults, printResultsAsJson } from "./index.ts"

function run(template: string, value: unknown, options: FindOptions = {}): string {
  return findResults(parseTemplate(template), value, options).map(printResults).join("")
}

function failure(action: () => unknown): string {
  try {
    return `no error, but ${JSON.stringify(action())}`
  } catch (error) {
    return (error as Error).message
  }
}

const garage = {
  owner: "Ada",
  cars: [
    { make: "Horch", seats: 4, price: 8.95, tags: ["old", "red"], sold: false },
    { make: "Tatra", seats: 5, price: 12.99, tags: [], sold: true },
    { make: "Minor", seats: 4, price: 8.99, sold: false, note: null },
  ],
  labels: { "web/html": 15, "k8s-app": 20, "example.com/tier": "gold" },
  doors: [0, 1, 2, 3, 4, 5],
  switches: [true, false],
  empty: [],
  big: 9007199254740993n,
  small: 0.00001,
  "odd key": 1,
}

describe("templates", () => {
  test.each([
    ["text without braces", "hello there", "hello there"],
    ["a field between texts", "I am {.owner}!", "I am Ada!"],
    ["the whole value, by each of its names", "{@.owner}{$.owner}{ .owner }", "AdaAdaAda"],
    ["a quoted brace", '{"{"}', "{"],
    ["escapes in quotes", String.raw`{"a\tb\n\\\"'"}{'\'"\x41\u00e9\101'}`, "a\tb\n\\\"''\"AéA"],
    ["a key with a slash and a dash", "{.labels.web/html} {.labels.k8s-app}", "15 20"],
    ["an escaped dot", String.raw`{.labels.example\.com/tier}`, "gold"],
    ["a quoted key", "{['owner']}", "Ada"],
    ["a quoted key with a dot, which is two steps", "{['labels.k8s-app']}", "20"],
    ["a number, a negative number, a fraction and a boolean", "{3} {-4} {2.50} {true}", "3 -4 2.5 true"],
    ["a long integer and a small fraction", "{.big} {.small}", "9007199254740993 1e-05"],
    ["an object as JSON with its keys in order", "{.cars[1]}", '{"make":"Tatra","price":12.99,"seats":5,"sold":true,"tags":[]}'],
    ["null", "{.cars[2].note}", "null"],
    ["a union of keys", "{.cars[*]['make', 'seats']}", "Horch Tatra Minor 4 5 4"],
    ["a union of indexes", "{.doors[1,3,4]}", "1 3 4"],
    ["every value of an object", "{.labels.*}", "15 20 gold"],
    ["recursive descent to a field", "{..make}", "Horch Tatra Minor"],
    ["recursive descent with one more dot", "{...make}", "Horch Tatra Minor"],
    ["everything below", "{.cars[0].tags..}", '["old","red"] old red'],
    ["a text's bytes", "{.owner.*}", "65 100 97"],
  ])("prints %s", (_, template, expected) => {
    expect(run(template, garage)).toBe(expected)
  })

  test.each([
    ["[0]", "0"],
    ["[-1]", "5"],
    ["[]", "0"],
    ["[*]", "0 1 2 3 4 5"],
    ["[:2]", "0 1"],
    ["[2:4]", "2 3"],
    ["[-2:]", "4 5"],
    ["[0:-4]", "0 1"],
    ["[-6:]", "0 1 2 3 4 5"],
    ["[::2]", "0 2 4"],
    ["[1::2]", "1 3 5"],
    ["[1:4:9]", "1"],
    ["[0:6:]", "0 1 2 3 4 5"],
    ["[3:3]", ""],
    ["[9:9]", ""],
  ])("takes the items %s of a list", (slice, expected) => {
    expect(run(`{.doors${slice}}`, garage)).toBe(expected)
  })

  test.each([
    ["[6]", "array index out of bounds: index 6, length 6"],
    ["[-7]", "array index out of bounds: index -1, length 6"],
    ["[2:8]", "array index out of bounds: index 7, length 6"],
    ["[4:2]", "starting index 4 is greater than ending index 2"],
    ["[-1:0]", "starting index 5 is greater than ending index 0"],
    ["[0:6:0]", "step must be > 0"],
    ["[0:6:-1]", "step must be > 0"],
  ])("refuses the items %s of a list", (slice, expected) => {
    expect(failure(() => run(`{.doors${slice}}`, garage))).toBe(expected)
  })

  test.each([
    ["equal texts", '[?(@.make=="Tatra")].seats', "5"],
    ["texts in single quotes, with spaces", "[?( @.make == 'Tatra' )].seats", "5"],
    ["different texts", '[?(@.make!="Tatra")].make', "Horch Minor"],
    ["smaller fractions", "[?(@.price<10.0)].make", "Horch Minor"],
    ["greater or equal integers", "[?(@.seats>=5)].make", "Tatra"],
    ["greater integers", "[?(@.seats>4)].make", "Tatra"],
    ["smaller or equal integers", "[?(@.seats<=4)].make", "Horch Minor"],
    ["booleans", "[?(@.sold==true)].make", "Tatra"],
    ["a field that is there", "[?(@.note)].make", "Minor"],
    ["an index that is out of bounds, which counts as there", "[?(@.tags[7])].make", "Horch Tatra"],
    ["a parenthesis in quotes", '[?(@.make=="(T)")].make', ""],
    ["two paths of an item", "[?(@.seats==@.seats)].make", "Horch Tatra Minor"],
    ["a comparison without a left side, as a path", "[?(.sold)].make", "Horch Tatra Minor"],
  ])("filters by %s", (_, filter, expected) => {
    expect(run(`{.cars${filter}}`, garage, { allowMissingKeys: true })).toBe(expected)
  })

  test.each([
    ["{.doors[?(@<3)]}", "0 1 2"],
    ["{.doors[?(@ > 3)]}", "4 5"],
  ])("filters plain values: %s", (template, expected) => {
    expect(run(template, garage)).toBe(expected)
  })

  test.each([
    ["an unknown operator", "{.cars[?(@.seats<>4)]}", "unrecognized filter operator <>"],
    ["values of two types", '{.cars[?(@.seats=="4")]}', "incompatible types for comparison"],
    ["an integer and a fraction", "{.cars[?(@.seats==4.0)]}", "incompatible types for comparison"],
    ["null", "{.cars[2:][?(@)]}", "map[make:Minor note:<nil> price:8.99 seats:4 sold:false] is not array or slice and cannot be filtered"],
    ["the order of booleans", "{.cars[?(@.sold<true)]}", "invalid type for comparison"],
    ["objects", "{.cars[?(@==1)]}", "invalid type for comparison"],
    ["several values at once", "{.cars[?(@.*==1)]}", "can only compare one element at a time"],
    ["a missing field", '{.cars[?(@.note=="x")]}', "note is not found"],
    ["an item of an object", "{.labels[0]}", "map[string]interface {} is not array or slice"],
    ["an item of a number", "{.small[0]}", "float64 is not array or slice"],
    ["a missing key", "{.hello}", "hello is not found"],
    ["a word", "{hello}", "unrecognized identifier hello"],
    ["items of a list that a recursive descent reaches", "{..tags[0]}", "array index out of bounds: index 0, length 0"],
    ["a key with a space", "{['odd key']}", "odd is not found"],
    ["an end without a range", "{range .doors}{@}{end}{end}", "not in range, nothing to end"],
  ])("refuses to find %s", (_, template, expected) => {
    expect(failure(() => run(template, garage))).toBe(expected)
  })

  test("gives nothing for missing keys where they are allowed", () => {
    expect(run("before-{.hello.there[0]}-after", garage, { allowMissingKeys: true })).toBe("before--after")
    expect(run("{.constructor}{.toString}", garage, { allowMissingKeys: true })).toBe("")
  })

  test("does not reach what every object of the language has", () => {
    expect(failure(() => run("{.constructor.name}", garage))).toBe("constructor is not found")
  })
})

describe("ranges", () => {
  const list = {
    kind: "List",
    items: [
      {
        name: "one",
        parts: [
          { id: "a", sub: [{ x: 1 }, { x: 2 }] },
          { id: "b", sub: [] },
        ],
      },
      { name: "two", parts: [{ id: "c", sub: [{ x: 3 }] }] },
      { name: "three" },
    ],
    nulls: [null, 1],
  }

  test.each([
    ["each item", "{range .items[*]}{.name}, {end}{.kind}", "one, two, three, List"],
    ["a list itself as one item", "{range .nulls}{@}{end}", "[null,1]"],
    ["a null", "{range .nulls[*]}<{@}>{end}", "<<no value>><1>"],
    ["ranges in ranges", '{range .items[*]}{.name}{":"}{range @.parts[*]}{.id}{","}{end}{"+"}{end}', "one:a,b,+two:c,+three:+"],
    [
      "three levels",
      "{range .items[*]}{.name}~{range .parts[*]}{.id}:{range .sub[*]}{.x},{end}+{end}#{end}",
      "one~a:1,2,+b:+#two~c:3,+#three~#",
    ],
    ["two ranges at one level", "{range .items[*]}{range .parts[*]}{.id}{end}|{range .parts[*]}{.id}{end};{end}", "ab|ab;c|c;|;"],
    ["no items", "{range .none[*]}{.name}{range .parts[*]}{.id}{end}{end}done", "done"],
    ["filtered items", '{range .items[?(.name=="two")]}{.name}{"\\n"}{end}', "two\n"],
    ["a range without an end, whose parts are run once more", "{range .items[*]}{.name},", "one,two,three,,"],
  ])("runs over %s", (_, template, expected) => {
    expect(run(template, list, { allowMissingKeys: true })).toBe(expected)
  })

  test("refuses a missing key also for an empty range", () => {
    expect(failure(() => run("{range .items[*]}{.name}{end}", { items: [] }))).toBe("name is not found")
  })
})

describe("refused templates", () => {
  test.each([
    ["{.hello", "unclosed action"],
    ["{.hello\n}", "unclosed action"],
    ["{*}", "unrecognized character in action: U+002A '*'"],
    ["{\t}", "unrecognized character in action: U+0009"],
    ["{+12.3.0}", "cannot parse number +12.3.0"],
    ["{-}", "cannot parse number -"],
    ["{[1}", "unterminated array"],
    ["{[a]}", "invalid array index a"],
    ["{[-]}", "array index - is not a number"],
    ["{[99999999999999999999]}", "array index 99999999999999999999 is not a number"],
    ["{[?(.price]}", "unterminated filter"],
    ["{[?(@.price==1)}", "unclosed array expect ]"],
    ["{........}", "invalid multiple recursive descent"],
    ['{"abc}', "unterminated quoted string"],
    [String.raw`{"\q"}`, String.raw`unquote string "\q" error invalid syntax`],
    [String.raw`{"\'"}`, String.raw`unquote string "\'" error invalid syntax`],
    [String.raw`{\\\}`, String.raw`unrecognized character in action: U+005C '\'`],
  ])("%j", (template, expected) => {
    expect(failure(() => parseTemplate(template))).toBe(expected)
  })

  test("filters in each other beyond any use", () => {
    const deep = `${"[?('".repeat(5000)}${"')]".repeat(5000)}`
    expect(failure(() => parseTemplate(`{${deep}}`))).toMatch(/unterminated|unquote|filters in each other|unclosed/)
  })
})

describe("bounds", () => {
  test("a path that visits everything many times is refused", () => {
    const deep = (depth: number): unknown => (depth === 0 ? "leaf" : { a: deep(depth - 1), b: [1, 2, 3] })
    expect(failure(() => run("{..[*]..[*]}{.. .. }", deep(500)))).toMatch(/too many|multiple recursive/)
    const wide = { a: Array.from({ length: 2000 }, () => Array.from({ length: 500 }, (_, index) => index)) }
    expect(failure(() => run("{..[*]}", wide))).toContain("visits too many")
  })

  test("ranges without an end are refused before they multiply", () => {
    expect(failure(() => run("{range @}{@}".repeat(200), { a: 1 }))).toContain("ranges in each other")
  })

  test("a long template is read in linear time", () => {
    const parts = parseTemplate("{.a.b[0]}x".repeat(20_000))
    expect(parts).toHaveLength(40_000)
    expect(parseTemplate(`{.${String.raw`\.`.repeat(500_000)}}`)).toHaveLength(1)
  })
})

test("prints results as a list in JSON, escaped as Go does", () => {
  const [results = []] = findResults(parseTemplate("{.cars[*].make}"), { cars: [{ make: "<a>" }, { make: "b" }] })
  expect(printResultsAsJson(results)).toBe('[\n    "\\u003ca\\u003e",\n    "b"\n]\n')
})
