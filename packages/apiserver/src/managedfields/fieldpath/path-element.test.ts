import { describe, expect, test } from "vitest"
import { sortElements } from "./element-order.ts"
import { pathText } from "./field-path.ts"
import { fieldElement, keyElement, readElement, valueElement } from "./path-element.ts"

describe("an element that is read is written the same", () => {
  test.each([
    "f:",
    "f:spec",
    "f: with spaces ",
    "f:__proto__",
    "f:a.b/c",
    "i:0",
    "i:1234",
    "i:-3",
    'k:{"name":"main"}',
    'k:{"name":"  two  spaces "}',
    'k:{"port":"8080","protocol":"TCP"}',
    'k:{"at":null}',
    'k:{"odd":{"A":1,"B":null,"E":{"F":"G"}}}',
    'k:{"list":["1","2"]}',
    'k:{"name":"schöner Hafen 🚢"}',
    'k:{"name":"你好"}',
    "v:null",
    "v:true",
    "v:1234",
    "v:1.5",
    'v:"some text"',
    'v:{"some":"json"}',
    'v:"a\\u003cb\\u0026c"',
    'v:"tab\\t quote\\" slash\\\\ bell\\u0007 back\\u0008"',
  ])("%s", (element) => {
    expect(readElement(element)).toBe(element)
  })
})

describe("an element has one text", () => {
  test.each([
    ['k:{ "protocol" : "TCP", "port": 80 }', 'k:{"port":80,"protocol":"TCP"}'],
    ["v: 3", "v:3"],
    ["v:3.0", "v:3"],
    ["v:1e2", "v:100"],
    ['v:"\\u0041"', 'v:"A"'],
    ['v:"<"', 'v:"\\u003c"'],
    ['v:{"b":1,"a":[ ]}', 'v:{"a":[],"b":1}'],
    ["i:+7", "i:7"],
    ["i:007", "i:7"],
    ["v:9223372036854775807", "v:9223372036854775807"],
  ])("%s is %s", (text, element) => {
    expect(readElement(text)).toBe(element)
  })

  test("keys and values are written as they are read", () => {
    expect(keyElement([["name", 'a"<']])).toBe(readElement('k:{"name":"a\\"<"}'))
    expect(valueElement("\u2028")).toBe('v:"\\u2028"')
    expect(fieldElement("a:b")).toBe(readElement("f:a:b"))
  })
})

test("an element of a kind that is not known is none", () => {
  expect(readElement("r:Hello")).toBeUndefined()
})

describe("what is no element is refused", () => {
  test.each([
    ["", "key must be 2 characters long:"],
    ["f", "key must be 2 characters long:"],
    ["no-colon", "missing colon: no-colon"],
    ["i:x", 'strconv.Atoi: parsing "x": invalid syntax'],
    ["i:1.23", 'strconv.Atoi: parsing "1.23": invalid syntax'],
    ["i:", 'strconv.Atoi: parsing "": invalid syntax'],
    ["v:", /JSON/],
    ["v:invalid json", /JSON/],
    ['v:{"some":" \\x41"}', /JSON/],
    ["k:invalid json", /JSON/],
    ['k:{"name":invalid}', /JSON/],
    ["k:[1]", "readObjectCB: expect { or n, but found [1]"],
    ["k:3", "readObjectCB: expect { or n, but found 3"],
    ["k:null", "readObjectCB: expect { or n, but found null"],
    [`v:${"[".repeat(5000)}${"]".repeat(5000)}`, "exceeded max depth"],
  ])("%.40s", (text, message) => {
    expect(() => readElement(text)).toThrow(message)
  })
})

describe("elements are in order", () => {
  test.each([
    ["fields by name", ["f:", "f:A", "f:a", "f:aa", "f:b"]],
    ["fields by the bytes of their names", ["f:\u007f", "f:é", "f:\uffff", "f:🚢"]],
    ["kinds", [".", "f:zz", 'k:{"a":1}', "v:0", "i:0"]],
    ["keys that are numbers", ['k:{"port":9}', 'k:{"port":80}', 'k:{"port":443}']],
    ["keys pair by pair", ['k:{"a":1}', 'k:{"a":1,"b":1}', 'k:{"a":1,"b":2}', 'k:{"a":1,"c":0}', 'k:{"a":2}', 'k:{"b":0}']],
    [
      "values of all types",
      ["v:-1", "v:1", "v:1.5", "v:2", 'v:""', 'v:"a"', "v:false", "v:true", "v:[]", "v:[1]", "v:[1,2]", "v:[2]", "v:{}", "v:null"],
    ],
    ["values that are maps", ['v:{"a":1}', 'v:{"a":1,"b":1}', 'v:{"a":2}', 'v:{"b":0}']],
    ["large numbers", ["v:9007199254740991", "v:9007199254740993", "v:9223372036854775807"]],
    ["indexes", ["i:-1", "i:2", "i:10"]],
  ])("%s", (_title, elements) => {
    for (const order of [elements, elements.toReversed(), elements.toSorted()]) {
      const entries = order.map((element) => [element, element.length] as const)
      sortElements(entries)
      expect(entries).toEqual(elements.map((element) => [element, element.length]))
    }
  })
})

describe("messages show a path", () => {
  test.each([
    [["f:spec", "f:containers", 'k:{"name":"c"}', "f:image"], '.spec.containers[name="c"].image'],
    [['k:{"containerPort":80,"protocol":"TCP"}'], '[containerPort=80,protocol="TCP"]'],
    [["f:finalizers", 'v:"a/b"'], '.finalizers[="a/b"]'],
    [["f:metadata", "f:annotations", "f:a.b/c"], ".metadata.annotations.a.b/c"],
    [["i:3"], "[3]"],
    [["v:null"], "[=null]"],
    [["v:[1,true]"], "[=[1,true]]"],
    [['v:"line\\nend"'], '[="line\\nend"]'],
    [[], ""],
  ])("%j as %s", (path, text) => {
    expect(pathText(path)).toBe(text)
  })
})
