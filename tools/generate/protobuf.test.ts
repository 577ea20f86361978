import { expect, test } from "vitest"
import { parseGo } from "./protobuf-go.ts"
import { parseProto } from "./protobuf-proto.ts"

const proto = `/* licence */
package k8s.io.api.demo.v1;
// A thing.
message Thing {
  optional .k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1;

  // Says { and } on the way.
  repeated Part parts = 2;

  map<string, .k8s.io.apimachinery.pkg.api.resource.Quantity> limits = 4;
}

message Empty {
}
`

test("generated.proto gives numbers, labels and types", () => {
  const file = parseProto(proto, "demo")
  expect(file.package).toBe("k8s.io.api.demo.v1")
  expect(file.messages.get("Empty")).toEqual([])
  expect(file.messages.get("Thing")).toEqual([
    { number: 1, name: "metadata", label: "optional", type: "k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
    { number: 2, name: "parts", label: "repeated", type: "Part" },
    { number: 4, name: "limits", label: "map", type: "k8s.io.apimachinery.pkg.api.resource.Quantity" },
  ])
})

test("a field that cannot be read stops the generator", () => {
  expect(() => parseProto("package a;\nmessage M {\n  oneof x = 1;\n}\n", "demo")).toThrow('demo: M: cannot read the field "oneof x = 1"')
})

const go = [
  "type Thing struct {",
  '\tmetav1.TypeMeta `json:",inline"`',
  '\tmetav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`',
  "\t// +optional",
  '\tParts []Part `json:"parts" protobuf:"bytes,2,rep,name=parts"`',
  '\tSource `json:",inline" protobuf:"bytes,3,opt,name=source"`',
  '\t// Gone *int32 `json:"gone,omitempty" protobuf:"varint,9,opt,name=gone"`',
  '\tSize *int32 `json:"size,omitempty" protobuf:"varint,4,opt,name=size"`',
  "}",
  "type Empty struct{}",
  "type Verbs []string",
].join("\n")

test("Go structs give JSON names, pointers and what is left out", () => {
  const { structs, lists } = parseGo([go])
  const thing = structs.get("Thing")
  expect(thing?.isKind).toBe(true)
  expect([...(thing?.fields.keys() ?? [])]).toEqual([1, 2, 3, 4])
  expect(thing?.fields.get(1)).toMatchObject({ jsonName: "metadata", omitempty: true, optional: false, pointer: false })
  expect(thing?.fields.get(2)).toMatchObject({ jsonName: "parts", omitempty: false, optional: true })
  expect(thing?.fields.get(3)).toMatchObject({ jsonName: "", inline: true, protoName: "source" })
  expect(thing?.fields.get(4)).toMatchObject({ jsonName: "size", pointer: true })
  expect(structs.get("Empty")?.fields.size).toBe(0)
  expect([...lists]).toEqual(["Verbs"])
})
