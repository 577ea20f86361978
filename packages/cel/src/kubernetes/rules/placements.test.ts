import { describe } from "vitest"
import { itValidates } from "../testing/rule-table.ts"

describe("rules at every level", () => {
  itValidates(
    {
      type: "object",
      properties: {
        l: { type: "array", items: { type: "integer", "x-kubernetes-validations": [{ rule: "self > 0" }] } },
        m: {
          type: "object",
          additionalProperties: { type: "string", "x-kubernetes-validations": [{ rule: "self != ''", message: "must not be empty" }] },
        },
        o: {
          type: "object",
          properties: { a: { type: "integer", "x-kubernetes-validations": [{ rule: "self < 5" }] }, b: { type: "integer" } },
          "x-kubernetes-validations": [{ rule: "self.a <= self.b" }],
        },
      },
    },
    { isResourceRoot: false },
    [
      {
        object: { l: [1, 0, -1], m: { k: "", j: "x" }, o: { a: 9, b: 1 } },
        errors: [
          "root.l[1]: Invalid value: 0: failed rule: self > 0",
          "root.l[2]: Invalid value: -1: failed rule: self > 0",
          'root.m[k]: Invalid value: "": must not be empty',
          "root.o: Invalid value: failed rule: self.a <= self.b",
          "root.o.a: Invalid value: 9: failed rule: self < 5",
        ],
        cost: 15,
      },
      { object: { l: [], m: {}, o: { a: 1, b: 1 } }, errors: [], cost: 7 },
      { object: {}, errors: [], cost: 0 },
      { object: { l: null, m: null, o: null }, errors: [], cost: 0 },
    ],
  )
})

describe("rules of allOf, anyOf, oneOf and not", () => {
  itValidates(
    {
      type: "object",
      properties: {
        a: { type: "integer" },
        l: { type: "array", items: { type: "integer" } },
        m: { type: "object", additionalProperties: { type: "integer" } },
        o: { type: "object", properties: { x: { type: "integer" } } },
      },
      allOf: [
        {
          properties: {
            a: { "x-kubernetes-validations": [{ rule: "self == 1" }] },
            l: { items: { "x-kubernetes-validations": [{ rule: "self == 2" }] } },
            m: { additionalProperties: { "x-kubernetes-validations": [{ rule: "self == 3" }] } },
            o: { properties: { x: { "x-kubernetes-validations": [{ rule: "self == 4" }] } } },
          },
          "x-kubernetes-validations": [{ rule: "self.a == 5" }],
        },
      ],
      anyOf: [{ "x-kubernetes-validations": [{ rule: "self.a == 6" }] }],
      oneOf: [{ "x-kubernetes-validations": [{ rule: "self.a == 7" }] }],
      not: { "x-kubernetes-validations": [{ rule: "self.a == 8" }] },
      "x-kubernetes-validations": [{ rule: "self.a == 9" }],
    },
    { isResourceRoot: false },
    [
      {
        object: { a: 0, l: [0], m: { k: 0 }, o: { x: 0 } },
        errors: [
          "root: Invalid value: failed rule: self.a == 9",
          "root: Invalid value: failed rule: self.a == 5",
          "root.l[0]: Invalid value: 0: failed rule: self == 2",
          "root.m[k]: Invalid value: 0: failed rule: self == 3",
          "root.o.x: Invalid value: 0: failed rule: self == 4",
          "root.a: Invalid value: 0: failed rule: self == 1",
        ],
        cost: 14,
      },
    ],
  )
})

describe("reasons and field paths", () => {
  itValidates(
    {
      type: "object",
      properties: {
        a: { type: "integer" },
        "b.c": { type: "integer" },
        l: { type: "array", items: { type: "integer" } },
        m: { type: "object", additionalProperties: { type: "integer" } },
      },
      "x-kubernetes-validations": [
        { rule: "false", message: "m1", reason: "FieldValueRequired", fieldPath: ".a" },
        { rule: "false", message: "m2", reason: "FieldValueForbidden", fieldPath: "['b.c']" },
        { rule: "false", message: "m3", reason: "FieldValueDuplicate", fieldPath: ".l" },
        { rule: "false", message: "m4", reason: "FieldValueInvalid", fieldPath: ".m" },
        { rule: "false", message: " m5 " },
        { rule: "false", messageExpression: "'a is ' + string(self.a)" },
        { rule: "false", message: "m6", messageExpression: "string(self.l[9])" },
        { rule: "false", messageExpression: "self.a > 0 ? '' : 'x'" },
        { rule: "false", message: "m7", messageExpression: "'two\\nlines'" },
        { rule: "false", messageExpression: "' padded '" },
      ],
    },
    { isResourceRoot: false },
    [
      {
        object: { a: 1, l: [1] },
        errors: [
          "root.a: Required value: m1",
          "root.b.c: Forbidden: m2",
          "root.l: Duplicate value",
          "root.m: Invalid value: m4",
          "root: Invalid value: m5",
          "root: Invalid value: a is 1",
          "root: Invalid value: m6",
          "root: Invalid value: failed rule: false",
          "root: Invalid value: m7",
          "root: Invalid value: padded",
        ],
        cost: 11,
      },
    ],
  )
})

describe("optional older values", () => {
  itValidates(
    {
      type: "object",
      properties: {
        a: {
          type: "integer",
          "x-kubernetes-validations": [
            { rule: "!oldSelf.hasValue() || self >= oldSelf.value()", optionalOldSelf: true, message: "must not shrink" },
          ],
        },
        b: {
          type: "string",
          "x-kubernetes-validations": [
            { rule: "oldSelf.hasValue() && oldSelf.value() == self", optionalOldSelf: true, message: "must be there before" },
          ],
        },
        l: {
          type: "array",
          items: {
            type: "object",
            properties: {
              k: { type: "string" },
              v: {
                type: "integer",
                "x-kubernetes-validations": [
                  { rule: "oldSelf.orValue(10) <= self", optionalOldSelf: true, message: "must be 10 at first" },
                ],
              },
            },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
        },
      },
    },
    { isResourceRoot: false },
    [
      {
        object: {
          a: 1,
          b: "x",
          l: [
            { k: "a", v: 9 },
            { k: "b", v: 10 },
          ],
        },
        errors: ['root.b: Invalid value: "x": must be there before', "root.l[0].v: Invalid value: 9: must be 10 at first"],
        cost: 11,
      },
      {
        object: { a: 1, b: "x", l: [{ k: "a", v: 9 }] },
        old: { a: 2, b: "x", l: [{ k: "a", v: 8 }] },
        errors: ["root.a: Invalid value: 1: must not shrink"],
        cost: 16,
      },
      { object: { a: 1, b: "x" }, old: { a: null, b: null }, errors: ['root.b: Invalid value: "x": must be there before'], cost: 5 },
      { object: { a: 1, b: "x" }, old: {}, errors: ['root.b: Invalid value: "x": must be there before'], cost: 5 },
    ],
  )
})

describe("ratcheting", () => {
  itValidates(
    {
      type: "object",
      properties: {
        s: { type: "string", "x-kubernetes-validations": [{ rule: "self == 'good'", message: "s must be good" }] },
        t: { type: "string", "x-kubernetes-validations": [{ rule: "self == 'good' || oldSelf == 'good'", message: "transition" }] },
        set: {
          type: "array",
          items: { type: "integer", "x-kubernetes-validations": [{ rule: "self % 2 == 1", message: "must be odd" }] },
          "x-kubernetes-list-type": "set",
        },
        atomic: {
          type: "array",
          items: {
            type: "object",
            properties: { a: { type: "string", "x-kubernetes-validations": [{ rule: "self == 'good'", message: "a must be good" }] } },
          },
        },
        keyed: {
          type: "array",
          items: {
            type: "object",
            properties: {
              k: { type: "string" },
              v: { type: "string", "x-kubernetes-validations": [{ rule: "self == 'good'", message: "v must be good" }] },
            },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
        },
        m: {
          type: "object",
          additionalProperties: { type: "string", "x-kubernetes-validations": [{ rule: "self == 'good'", message: "value must be good" }] },
        },
        o: {
          type: "object",
          properties: { x: { type: "integer" }, y: { type: "integer" } },
          "x-kubernetes-validations": [{ rule: "self.x < self.y", message: "x < y" }],
        },
        other: { type: "string" },
      },
    },
    { isResourceRoot: false },
    [
      { object: { s: "bad", other: "new" }, old: { s: "bad", other: "old" }, errors: [], cost: 2 },
      { object: { s: "bad" }, old: { s: "worse" }, errors: ['root.s: Invalid value: "bad": s must be good'], cost: 2 },
      { object: { t: "bad" }, old: { t: "bad" }, errors: ['root.t: Invalid value: "bad": transition'], cost: 4 },
      { object: { set: [1, 2], other: "n" }, old: { set: [1, 2], other: "o" }, errors: [], cost: 6 },
      { object: { set: [1, 2, 3] }, old: { set: [1, 2] }, errors: ["root.set[1]: Invalid value: 2: must be odd"], cost: 9 },
      { object: { set: [2, 1] }, old: { set: [1, 2] }, errors: ["root.set[0]: Invalid value: 2: must be odd"], cost: 6 },
      { object: { atomic: [{ a: "bad" }], other: "n" }, old: { atomic: [{ a: "bad" }], other: "o" }, errors: [], cost: 2 },
      {
        object: { atomic: [{ a: "bad" }, { a: "good" }] },
        old: { atomic: [{ a: "bad" }] },
        errors: ['root.atomic[0].a: Invalid value: "bad": a must be good'],
        cost: 4,
      },
      {
        object: {
          keyed: [
            { k: "a", v: "bad" },
            { k: "b", v: "good" },
          ],
        },
        old: { keyed: [{ k: "a", v: "bad" }] },
        errors: [],
        cost: 4,
      },
      {
        object: {
          keyed: [
            { k: "b", v: "bad" },
            { k: "a", v: "bad" },
          ],
        },
        old: {
          keyed: [
            { k: "a", v: "bad" },
            { k: "b", v: "bad" },
          ],
        },
        errors: [],
        cost: 4,
      },
      {
        object: { keyed: [{ k: "a", v: "bad" }] },
        old: { keyed: [{ k: "b", v: "bad" }] },
        errors: ['root.keyed[0].v: Invalid value: "bad": v must be good'],
        cost: 2,
      },
      { object: { m: { a: "bad", b: "good" } }, old: { m: { a: "bad", b: "bad" } }, errors: [], cost: 4 },
      { object: { m: { a: "bad" } }, old: { m: { b: "bad" } }, errors: ['root.m[a]: Invalid value: "bad": value must be good'], cost: 2 },
      { object: { o: { x: 2, y: 1 }, other: "n" }, old: { o: { x: 2, y: 1 }, other: "o" }, errors: [], cost: 5 },
      { object: { o: { x: 3, y: 1 } }, old: { o: { x: 2, y: 1 } }, errors: ["root.o: Invalid value: x < y"], cost: 5 },
      { object: { o: { y: 1, x: 2 } }, old: { o: { x: 2, y: 1 } }, errors: [], cost: 5 },
    ],
  )
})

describe("ratcheting of apiVersion and kind", () => {
  itValidates(
    {
      type: "object",
      properties: {
        apiVersion: { type: "string", "x-kubernetes-validations": [{ rule: "self == 'v1'" }] },
        kind: { type: "string", "x-kubernetes-validations": [{ rule: "self == 'Good'" }] },
        sub: { type: "object", properties: { kind: { type: "string", "x-kubernetes-validations": [{ rule: "self == 'Good'" }] } } },
        other: { type: "string" },
      },
    },
    { isResourceRoot: true },
    [
      {
        object: { apiVersion: "v2", kind: "Bad", sub: { kind: "Bad" }, other: "n" },
        old: { apiVersion: "v2", kind: "Bad", sub: { kind: "Bad" }, other: "o" },
        errors: [
          "root.apiVersion: Invalid value: \"v2\": failed rule: self == 'v1'",
          "root.kind: Invalid value: \"Bad\": failed rule: self == 'Good'",
        ],
        cost: 6,
      },
    ],
  )
})

describe("label selectors", () => {
  itValidates(
    {
      type: "object",
      properties: {
        key: { type: "string" },
        operator: { type: "string" },
        values: { type: "array", items: { type: "string" }, maxItems: 10 },
      },
      "x-kubernetes-validations": [
        { rule: "self.operator in ['In', 'NotIn', 'Exists', 'DoesNotExist']", message: "unknown operator" },
        {
          rule: "self.operator in ['In', 'NotIn'] ? has(self.values) && self.values.size() > 0 : !has(self.values) || self.values.size() == 0",
          message: "values and operator do not fit",
        },
        {
          rule: "!has(self.values) || self.values.all(x, x.size() < 64 && x.matches('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$'))",
          message: "no label value",
        },
      ],
    },
    { isResourceRoot: false },
    [
      { object: { key: "a", operator: "In", values: ["x"] }, errors: [], cost: 33 },
      { object: { key: "a", operator: "In" }, errors: ["root: Invalid value: values and operator do not fit"], cost: 7 },
      {
        object: { key: "a", operator: "Exists", values: ["x"] },
        errors: ["root: Invalid value: values and operator do not fit"],
        cost: 34,
      },
      { object: { key: "a", operator: "Is" }, errors: ["root: Invalid value: unknown operator"], cost: 8 },
      { object: { key: "a", operator: "NotIn", values: ["-x"] }, errors: ["root: Invalid value: no label value"], cost: 33 },
    ],
  )
})
