import { describe } from "vitest"
import { itJudges } from "../testing/rule-table.ts"

describe("transition rules", () => {
  itJudges(
    {
      properties: {
        i: { type: "integer" },
        s: { type: "string" },
        l: { type: "array", items: { type: "string" } },
        m: { type: "object", additionalProperties: { type: "integer" } },
        o: { type: "object", properties: { a: { type: "integer" } } },
      },
      object: { i: 5, s: "b", l: ["a", "b"], m: { k: 2 }, o: { a: 1 } },
      old: { i: 4, s: "a", l: ["a"], m: { k: 1 }, o: { a: 1 } },
    },
    [
      ["self.i >= oldSelf.i", "holds", 5, 5],
      ["self.i == oldSelf.i", "root: Invalid value: failed rule: self.i == oldSelf.i", 5, 4],
      ["self == oldSelf", "root: Invalid value: failed rule: self == oldSelf", 3, 2],
      ["self.o == oldSelf.o", "holds", 5, 4],
      ["self.l.size() >= oldSelf.l.size() && oldSelf.l.all(x, x in self.l)", "holds", 18, 1099515822085],
      ["self.m.all(k, !(k in oldSelf.m) || self.m[k] >= oldSelf.m[k])", "holds", 18, 7639616],
      ["self.s > oldSelf.s", "holds", 5, 314577],
      ["oldSelf.missing == 1", "refused: compilation failed: 1:8: undefined field 'missing'", 0],
      ["has(oldSelf.i) && oldSelf.i == 4", "holds", 4, 3],
      ["self.i - oldSelf.i == 1", "holds", 6, 6],
    ],
  )
})

describe("lists of type map and set beside older ones", () => {
  itJudges(
    {
      properties: {
        m: {
          type: "array",
          items: { type: "object", properties: { k: { type: "string" }, v: { type: "integer" } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
        },
        two: {
          type: "array",
          items: { type: "object", properties: { k: { type: "string" }, o: { type: "string" }, v: { type: "integer" } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k", "o"],
        },
        s: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        l: { type: "array", items: { type: "string" } },
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
        s: ["x", "y"],
        l: ["x", "y"],
      },
      old: {
        m: [
          { k: "b", v: 2 },
          { k: "a", v: 1 },
        ],
        two: [{ k: "a", o: "y", v: 5 }],
        s: ["y", "x"],
        l: ["y", "x"],
      },
    },
    [
      ["self.m == oldSelf.m", "holds", 5, 104862],
      ["self.m != oldSelf.m", "root: Invalid value: failed rule: self.m != oldSelf.m", 5, 104862],
      ["self == oldSelf", "root: Invalid value: failed rule: self == oldSelf", 3, 2],
      ["self.m[0] == oldSelf.m[1]", "holds", 7, 6],
      ["self.m[0] in oldSelf.m", "holds", 7, 1048580],
      ["size(self.m + oldSelf.m) == 2 && self.m + oldSelf.m == self.m", "holds", 15, 104872],
      ["(self.m + oldSelf.m)[0].k == 'a'", "holds", 9, 8],
      ["(self.two + oldSelf.two)[1].v == 5 && size(self.two + oldSelf.two) == 2", "holds", 16, 15],
      ["(oldSelf.two + self.two).map(e, e.o) == ['y', 'x']", "holds", 35, 29360127],
      ["self.two == oldSelf.two", "root: Invalid value: failed rule: self.two == oldSelf.two", 5, 104862],
      ["self.s == oldSelf.s && self.s + oldSelf.s == oldSelf.s", "holds", 13, 209727],
      ["self.l == oldSelf.l", "root: Invalid value: failed rule: self.l == oldSelf.l", 5, 104862],
      ["self.l + oldSelf.l == ['x', 'y', 'y', 'x']", "holds", 6, 16],
      ["self.s == oldSelf.l && !(self.l == oldSelf.s)", "holds", 11, 209725],
      [
        "self.m.filter(e, e.v > 0) == oldSelf.m.filter(e, e.v > 0)",
        "root: Invalid value: failed rule: self.m.filter(e, e.v > 0) == oldSelf.m.filter(e, e.v > 0)",
        71,
        33659284,
      ],
      ["self.m.map(e, e.k) == ['a', 'b'] && oldSelf.m.map(e, e.k) == ['b', 'a']", "holds", 64, 29360148],
    ],
  )
})

describe("transition rules without an older value", () => {
  itJudges({ properties: { i: { type: "integer" } }, object: { i: 5 } }, [
    ["self.i >= oldSelf.i", "holds", 0, 5],
    ["oldSelf.i == 0", "holds", 0, 2],
    ["self.i == 4", "root: Invalid value: failed rule: self.i == 4", 3, 2],
  ])
})
