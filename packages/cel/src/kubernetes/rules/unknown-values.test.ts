import { describe } from "vitest"
import { itJudges } from "../testing/rule-table.ts"

describe("what is unknown", () => {
  itJudges(
    {
      properties: {
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        half: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: {
            known: { type: "integer" },
            sub: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { deep: { type: "string" } } },
            blank: { "x-kubernetes-preserve-unknown-fields": true },
          },
        },
        list: { type: "array", items: { "x-kubernetes-preserve-unknown-fields": true } },
        plain: { type: "array", items: { type: "string" } },
        map: { type: "object", additionalProperties: { "x-kubernetes-preserve-unknown-fields": true } },
      },
      object: {
        free: { a: 1 },
        half: { known: 1, other: 2, sub: { deep: "d", more: [1] }, blank: [1] },
        list: [1, "a"],
        plain: ["p"],
        map: { a: 1 },
      },
    },
    [
      ["has(self.free)", "holds", 1, 1],
      ["self.free.a == 1", "refused: compilation failed: 1:10: undefined field 'a'", 0],
      ["self.half.known == 1", "holds", 4, 3],
      ["self.half.other == 2", "refused: compilation failed: 1:10: undefined field 'other'", 0],
      ["has(self.half.other)", "refused: compilation failed: 1:4: undefined field 'other'", 0],
      ['self.half.sub.deep == "d"', "holds", 5, 5],
      ["has(self.half.sub.more)", "refused: compilation failed: 1:4: undefined field 'more'", 0],
      ["self.half.blank == [1]", "refused: compilation failed: 1:10: undefined field 'blank'", 0],
      ["self.list.size() == 2", "refused: compilation failed: 1:5: undefined field 'list'", 0],
      ["has(self.list)", "refused: compilation failed: 1:4: undefined field 'list'", 0],
      ["has(self.map)", "refused: compilation failed: 1:4: undefined field 'map'", 0],
      ["self.map.a == 1", "refused: compilation failed: 1:5: undefined field 'map'", 0],
      ['self.plain[0] == "p"', "holds", 4, 4],
      ["self.half == self.half", "holds", 5, 4],
      ["self.free == self.free", "holds", 5, 4],
      [
        "self.free == self.half.sub",
        "refused: compilation failed: 1:11: found no matching overload for '_==_' applied to '(selfType.free, selfType.half.sub)'",
        0,
      ],
      ["type(self.half.sub) == object", "refused: compilation failed: 1:24: undeclared reference to 'object' (in container '')", 0],
      ["self.half.?other.hasValue()", "refused: compilation failed: 1:10: undefined field 'other'", 0],
      ["self.nothing == null", "refused: compilation failed: 1:5: undefined field 'nothing'", 0],
    ],
  )
})

describe("resources inside", () => {
  itJudges(
    {
      properties: {
        a: { type: "object", "x-kubernetes-embedded-resource": true },
        b: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          properties: {
            kind: { type: "string" },
            apiVersion: { type: "string" },
            metadata: {
              type: "object",
              properties: {
                name: { type: "string" },
                generateName: { type: "string" },
                labels: { type: "object", additionalProperties: { type: "string" } },
              },
            },
            spec: { type: "object", properties: { size: { type: "integer" } } },
          },
        },
        c: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          properties: {
            namespace: { type: "string" },
            if: { type: "string" },
            as: { type: "integer" },
            spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      },
      object: {
        a: { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "n" } },
        b: { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d", labels: { app: "x" } }, spec: { size: 2 } },
        c: { apiVersion: "v1", kind: "Odd", metadata: { generateName: "g-" }, namespace: "ns", if: "so", as: 5, spec: { x: 1 } },
      },
    },
    [
      ['self.a.kind == "Pod" && self.a.apiVersion == "v1"', "holds", 8, 8],
      ['self.a.metadata.name == "p"', "holds", 5, 5],
      ['self.a.metadata.namespace == "n"', "refused: compilation failed: 1:16: undefined field 'namespace'", 0],
      ["has(self.a.metadata.generateName)", "root: Invalid value: failed rule: has(self.a.metadata.generateName)", 3, 3],
      ["self.a.spec == 1", "refused: compilation failed: 1:7: undefined field 'spec'", 0],
      ['self.b.kind == "Deployment" && self.b.spec.size == 2', "holds", 9, 8],
      ['self.b.metadata.name == "d"', "holds", 5, 5],
      ['self.b.metadata.labels.app == "x"', "holds", 6, 6],
      ["has(self.b.metadata) && !has(self.b.metadata.generateName)", "holds", 6, 6],
      ['self.c.__namespace__ == "ns" && self.c.__if__ == "so" && self.c.__as__ == 5', "holds", 12, 11],
      ['self.c.metadata.generateName.startsWith("g")', "holds", 5, 5],
      ["has(self.c.spec)", "holds", 2, 2],
      ["self.c.spec.x == 1", "refused: compilation failed: 1:12: undefined field 'x'", 0],
      ["self.c.as == 5", "holds", 4, 4],
      ['self.c.if == "so"', "holds", 4, 4],
      ["self.a == self.a", "holds", 5, 4],
      [
        "self.a.kind == self.b.kind || self.b.kind == self.c.kind",
        "root: Invalid value: failed rule: self.a.kind == self.b.kind || self.b.kind == self.c.kind",
        14,
        629158,
      ],
    ],
  )
})

describe("nulls", () => {
  itJudges(
    {
      properties: {
        ns: { type: "string", nullable: true },
        ni: { type: "integer", nullable: true },
        nl: { type: "array", items: { type: "integer" }, nullable: true },
        no: { type: "object", properties: { x: { type: "string", nullable: true } }, nullable: true },
        mx: { type: "object", additionalProperties: { type: "integer", nullable: true } },
        lx: { type: "array", items: { type: "string", nullable: true } },
        ios: { "x-kubernetes-int-or-string": true, nullable: true },
        keep: { type: "object", properties: { x: { type: "string", nullable: true }, y: { type: "string" } } },
      },
      object: { ns: null, ni: null, nl: null, no: null, mx: { a: null, b: 1 }, lx: ["x", null], ios: null, keep: { x: null, y: "y" } },
    },
    [
      ["!has(self.ns) && !has(self.ni) && !has(self.nl) && !has(self.no)", "holds", 8, 8],
      ["has(self.ios)", "root: Invalid value: failed rule: has(self.ios)", 1, 1],
      ["self.ios == null", 'root: Invalid value: "object": no such key: ios evaluating rule: self.ios == null', 3, 3],
      ['self.ns == ""', 'root: Invalid value: "object": no such key: ns evaluating rule: self.ns == ""', 2, 2],
      ["self.nl.size() == 0", 'root: Invalid value: "object": no such key: nl evaluating rule: self.nl.size() == 0', 4, 4],
      ["has(self.no.x)", 'root: Invalid value: "object": no such key: no evaluating rule: has(self.no.x)', 1, 2],
      ['self.no.x == ""', 'root: Invalid value: "object": no such key: no evaluating rule: self.no.x == ""', 2, 3],
      ["has(self.keep.x) || !has(self.keep.y)", "root: Invalid value: failed rule: has(self.keep.x) || !has(self.keep.y)", 5, 5],
      ["self.mx.size() == 2", "holds", 4, 4],
      ['self.mx["b"] == 1', "holds", 4, 3],
      ['self.mx["a"] == 1', 'root: Invalid value: failed rule: self.mx["a"] == 1', 4, 3],
      ["has(self.mx.a)", "holds", 2, 2],
      ['"a" in self.mx', "holds", 3, 3],
      ['self.lx.size() == 2 && self.lx[0] == "x"', "holds", 8, 8],
      ['self.lx[1] == ""', 'root: Invalid value: failed rule: self.lx[1] == ""', 3, 3],
      ['self.lx.all(x, x != "")', "holds", 11, 4194303],
      ["self.?ns.hasValue()", "root: Invalid value: failed rule: self.?ns.hasValue()", 2, 3],
      ['self.?keep.?x.orValue("none") == "none"', "holds", 3, 5],
      ['self.mx[?"a"].hasValue()', "holds", 4, 4],
      ["self.lx.exists(x, type(x) == null_type)", "holds", 17, 7340028],
      ["self.keep == self.keep", "holds", 5, 4],
    ],
  )
})
