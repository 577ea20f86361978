import { expect, test } from "vitest"
import { negotiate, wantsPretty } from "./accept.ts"

test.each([
  [undefined, "application/json"],
  ["", "application/json"],
  ["*/*", "application/json"],
  ["application/yaml", "application/yaml"],
  ["application/json, application/yaml", "application/json"],
  ["application/yaml, application/json", "application/yaml"],
  ["application/yaml;q=0.5, application/json;q=0.9", "application/json"],
  ["application/yaml;q=0, */*", "application/json"],
  ["application/vnd.kubernetes.protobuf,application/json", "application/json"],
  ["application/vnd.kubernetes.protobuf", "application/json"],
  ["application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "application/json"],
])("Accept %j gives %s", (accept, expected) => {
  expect(negotiate(accept)).toBe(expected)
})

test.each([
  ["true", undefined, true],
  ["1", undefined, true],
  ["false", "curl/8.1", false],
  [undefined, "curl/8.1", true],
  [undefined, "Wget/1.2", true],
  [undefined, "kubectl/v1.36.3", false],
  [undefined, undefined, false],
])("?pretty=%s from %s: %s", (pretty, agent, expected) => {
  expect(wantsPretty(pretty, agent)).toBe(expected)
})
