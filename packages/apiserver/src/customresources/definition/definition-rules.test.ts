import { VirtualClock } from "@pilothouse/seams"
import { beforeAll, expect, test } from "vitest"
import { draftOf } from "../../body/draft.ts"
import { loadPatterns } from "../schema/formats/pattern.ts"
import { widgetVersion } from "../testing/definitions.ts"
import { type Change, errorsOf, prepared } from "../testing/prepared-definition.ts"
import { definitionErrors } from "./definition-rules.ts"

beforeAll(() => loadPatterns(new VirtualClock()))

const label = "a DNS-1035 label must consist of"

test.each<readonly [string, Change, readonly string[]]>([
  ["is valid as it stands", () => {}, []],
  ["needs a group", (spec) => void (spec.group = ""), ["metadata.name: Invalid value", "spec.group: Required value"]],
  [
    "needs a group with a dot",
    (spec) => void (spec.group = "x"),
    ["metadata.name", 'spec.group: Invalid value: "x": should be a domain with at least one dot'],
  ],
  [
    "needs a group that is a domain",
    (spec) => void (spec.group = "A.b"),
    ["metadata.name", 'spec.group: Invalid value: "A.b": a lowercase RFC 1123'],
  ],
  [
    "is named by its plural and group",
    (_, __, definition) => void (definition.metadata.name = "x.y"),
    ['metadata.name: Invalid value: "x.y": must be spec.names.plural+"."+spec.group'],
  ],
  [
    "has no generated name",
    (_, __, definition) => void (definition.metadata.generateName = "w-"),
    ['metadata.generateName: Invalid value: "w-": must be'],
  ],
  [
    "has patterns that can be compiled in a bounded time",
    (_, version) => {
      const anyOf = Array.from({ length: 1000 }, (_value, index) => ({ pattern: `a{${index}}` }))
      version.schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "string", anyOf } } } }
    },
    ['openAPIV3Schema: Invalid value: "": the repetitions of its patterns, such as {1,63}, add up to more than 200000'],
  ],
  ["needs a scope", (spec) => void (spec.scope = ""), ["spec.scope: Required value"]],
  [
    "knows two scopes",
    (spec) => void (spec.scope = "All"),
    ['spec.scope: Unsupported value: "All": supported values: "Cluster", "Namespaced"'],
  ],
  [
    "needs a kind",
    (spec) => void (spec.names.kind = ""),
    ["spec.names.singular: Required value", "spec.names.kind: Required value", "spec.names.listKind: Required value"],
  ],
  [
    "has labels as names",
    (spec) => void Object.assign(spec.names, { singular: "S", shortNames: ["ok", "-"], categories: ["c c"] }),
    [
      `spec.names.singular: Invalid value: "S": ${label}`,
      `spec.names.shortNames[1]: Invalid value: "-": ${label}`,
      `spec.names.categories[0]: Invalid value: "c c": ${label}`,
    ],
  ],
  [
    "has kinds of letters",
    (spec) => void Object.assign(spec.names, { singular: "ab", kind: "A_b", listKind: "9" }),
    [
      'spec.names.kind: Invalid value: "A_b": may have mixed case, but should otherwise match: ',
      'spec.names.listKind: Invalid value: "9": may have mixed case',
    ],
  ],
  [
    "has a list kind of its own",
    (spec) => void (spec.names.listKind = "Widget"),
    ['spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same'],
  ],
  [
    "needs versions",
    (spec) => void (spec.versions = []),
    [
      "spec.versions: Invalid value: null: must have exactly one version marked as storage version",
      "status.storedVersions: Invalid value: null: must have at least one stored version",
    ],
  ],
  [
    "stores one version",
    (_, first) => void (first.storage = false),
    ['spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,', "status.storedVersions"],
  ],
  [
    "stores not two",
    (spec) => void spec.versions.push({ ...draftOf(widgetVersion("v2")) }),
    ["spec.versions: Invalid value: [", 'status.storedVersions: Invalid value: ["v1"]: must have the storage version v2'],
  ],
  [
    "has each version once",
    (spec) => void spec.versions.push({ ...draftOf(widgetVersion("v1")), storage: false }),
    ['spec.versions: Invalid value: [{"Name":"v1"'],
  ],
  [
    "has labels as versions",
    (_, first) => void (first.name = "V1"),
    [`spec.versions[0].name: Invalid value: "V1": ${label}`, `spec.version: Invalid value: "V1": ${label}`],
  ],
  ["needs a schema", (_, first) => void delete first.schema, ["spec.versions[0].schema.openAPIV3Schema: Required value"]],
  [
    "prunes",
    (spec) => void (spec.preserveUnknownFields = true),
    [
      "spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema",
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ],
  ],
  [
    "warns of deprecated versions alone",
    (_, first) => void (first.deprecationWarning = "x"),
    ['spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions'],
  ],
  [
    "warns with a text",
    (_, first) => void Object.assign(first, { deprecated: true, deprecationWarning: "" }),
    ['deprecationWarning: Invalid value: "": must not be an empty string'],
  ],
  [
    "warns in 256 bytes",
    (_, first) => void Object.assign(first, { deprecated: true, deprecationWarning: "é".repeat(129) }),
    ["must be <= 256 characters long"],
  ],
  ["warns in 256 bytes at most", (_, first) => void Object.assign(first, { deprecated: true, deprecationWarning: "é".repeat(128) }), []],
  [
    "warns in one line",
    (_, first) => void Object.assign(first, { deprecated: true, deprecationWarning: "é\n" }),
    ['Invalid value: "é\\n": must only contain printable UTF-8 characters; non-printable character found at index 2'],
  ],
  [
    "warns with zero bytes shown as JSON",
    (_, first) => void Object.assign(first, { deprecated: true, deprecationWarning: "\0" }),
    ['Invalid value: "\\u0000": must only'],
  ],
  [
    "shows columns",
    (_, first) =>
      void (first.additionalPrinterColumns = [
        { name: "", type: "int", jsonPath: "x", format: "y" },
        { name: "n", type: "", jsonPath: "" },
      ]),
    [
      "spec.additionalPrinterColumns[0].name: Required value",
      'spec.additionalPrinterColumns[0].type: Invalid value: "int": must be one of boolean,date,integer,number,string',
      'additionalPrinterColumns[0].format: Invalid value: "y": must be one of byte,date,date-time,double,float,int32,int64,password',
      'additionalPrinterColumns[0].JSONPath: Invalid value: "x": must be a simple json path starting with .',
      "spec.additionalPrinterColumns[1].type: Required value: must be one of",
      "spec.additionalPrinterColumns[1].JSONPath: Required value",
    ],
  ],
  [
    "scales by paths",
    (_, first) =>
      void (first.subresources = { scale: { specReplicasPath: "", statusReplicasPath: "status", labelSelectorPath: ".other" } }),
    [
      "spec.subresources.scale.specReplicasPath: Required value",
      'spec.subresources.scale.statusReplicasPath: Invalid value: "status": must be a simple json path starting with .',
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".other": should be a json path under either .spec or .status',
    ],
  ],
  [
    "scales spec and status",
    (_, first) => void (first.subresources = { scale: { specReplicasPath: ".status.r", statusReplicasPath: ".spec.r" } }),
    [
      'specReplicasPath: Invalid value: ".status.r": should be a json path under .spec',
      'statusReplicasPath: Invalid value: ".spec.r": should be a json path under .status',
    ],
  ],
  [
    "selects by scalars that are there",
    (_, first) =>
      void (first.selectableFields = [".spec", ".spec.none", ".metadata.name", ".spec.size", ".spec.size", "", ".spec['size']", "spec"].map(
        (jsonPath) => ({ jsonPath }),
      )),
    [
      'selectableFields[0].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum',
      'selectableFields[1].jsonPath: Invalid value: ".spec.none": is an invalid path: does not refer to a valid field',
      'selectableFields[2].jsonPath: Invalid value: ".metadata.name": is an invalid path',
      'selectableFields[4].jsonPath: Duplicate value: ".spec.size"',
      "selectableFields[5].jsonPath: Required value",
      "is an invalid path: array notation is not allowed",
      "is an invalid path: expected [ or . but got: spec",
    ],
  ],
  [
    "selects by a schema that is there",
    (spec, first) => {
      spec.versions.push({ ...draftOf(widgetVersion("v2")), storage: false, selectableFields: [{ jsonPath: ".spec.size" }] })
      void first
    },
    ['spec.versions[1].selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included'],
  ],
  [
    "is approved in a group of the community",
    (spec, _, definition) => {
      spec.group = "x.k8s.io"
      definition.metadata.name = "widgets.x.k8s.io"
    },
    ["metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation"],
  ],
  [
    "converts in one of two ways",
    (spec) => void (spec.conversion = { strategy: "x" }),
    ['spec.conversion.strategy: Unsupported value: "x": supported values: "None", "Webhook"'],
  ],
  [
    "converts by a webhook that is there",
    (spec) => void (spec.conversion = { strategy: "Webhook" }),
    [
      "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
      "spec.conversion.conversionReviewVersions: Required value",
    ],
  ],
  [
    "converts without a webhook",
    (spec) => void (spec.conversion = { strategy: "None", webhook: { clientConfig: {}, conversionReviewVersions: ["v1"] } }),
    [
      "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
      "spec.conversion.conversionReviewVersions: Forbidden",
    ],
  ],
  [
    "calls one address",
    (spec) => void (spec.conversion = { strategy: "Webhook", webhook: { clientConfig: {}, conversionReviewVersions: ["v1"] } }),
    ["spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required"],
  ],
  [
    "calls by https",
    (spec) =>
      void (spec.conversion = {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "http://u@h?q#f" }, conversionReviewVersions: ["v1"] },
      }),
    [
      "url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
      'url: Invalid value: "u": user information is not permitted in the URL',
      'url: Invalid value: "f": fragments are not permitted',
      'url: Invalid value: "q": query parameters are not permitted',
    ],
  ],
  [
    "calls a URL",
    (spec) =>
      void (spec.conversion = { strategy: "Webhook", webhook: { clientConfig: { url: "https://h:x" }, conversionReviewVersions: ["v1"] } }),
    ['url: Required value: url must be a valid URL: parse "https://h:x": invalid port ":x" after host; desired format'],
  ],
  [
    "calls a host",
    (spec) => void (spec.conversion = { strategy: "Webhook", webhook: { clientConfig: { url: "" }, conversionReviewVersions: ["v1"] } }),
    ["url: Invalid value: \"\": 'https' is", 'url: Invalid value: "": host must be specified'],
  ],
  [
    "calls a service; its names are confused as upstream does",
    (spec) =>
      void (spec.conversion = {
        strategy: "Webhook",
        webhook: { clientConfig: { service: { name: "", namespace: "n", path: "a/B", port: 0 } }, conversionReviewVersions: ["v1"] },
      }),
    [
      "service.namespace: Required value",
      "service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
      "path: Invalid value: \"a/B\": must start with a '/'",
      'path: Invalid value: "a/B": segment[0] may not be empty',
      'path: Invalid value: "a/B": segment[1]: a lowercase RFC 1123 subdomain',
    ],
  ],
  [
    "speaks a version of reviews that is known",
    (spec) =>
      void (spec.conversion = {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://h" }, conversionReviewVersions: ["V", "v7", "v7"] },
      }),
    [
      `conversionReviewVersions[0]: Invalid value: "V": ${label}`,
      'conversionReviewVersions[2]: Invalid value: "v7": duplicate version',
      'conversionReviewVersions: Invalid value: ["V","v7","v7"]: must include at least one of v1, v1beta1',
    ],
  ],
  [
    "speaks one version of reviews that is known beside others",
    (spec) =>
      void (spec.conversion = {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://h" }, conversionReviewVersions: ["v7", "v1beta1"] },
      }),
    [],
  ],
  [
    "has certificates that are read when it is established",
    (spec) =>
      void (spec.conversion = {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://h", caBundle: "bm8=" }, conversionReviewVersions: ["v1"] },
      }),
    [],
  ],
  [
    "validates status by itself",
    (_, first) => void (first.schema!.openAPIV3Schema!.maxProperties = 1),
    ['spec.validation.openAPIV3Schema: Invalid value: {"ID":"","Schema":"","Ref":null,'],
  ],
  [
    "is an object at the root",
    (_, first) => void (first.schema!.openAPIV3Schema = { type: "array", items: { type: "string" }, nullable: true }),
    [
      'spec.validation.openAPIV3Schema.type: Invalid value: "array": only "object" is allowed as the type at the root',
      "spec.validation.openAPIV3Schema.nullable: Forbidden: nullable cannot be true at the root",
      'spec.validation.openAPIV3Schema.type: Invalid value: "array": must be object at the root',
    ],
  ],
  [
    "says why it cannot be structural where nothing else does",
    (_, first) => void (first.schema!.openAPIV3Schema!.properties!.spec = { type: "object", $schema: "x" }),
    ["spec.validation.openAPIV3Schema: Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported"],
  ],
])("a definition %s", (_, change, expected) => {
  const errors = errorsOf(prepared(change))
  expect(errors.map((error, index) => (error.includes(expected[index] ?? "nothing") ? expected[index] : error))).toEqual(expected)
})

test("a webhook of a conversion that says nothing is dropped (seen)", () => {
  const { spec } = prepared((draft) => void (draft.conversion = { strategy: "None", webhook: { conversionReviewVersions: [] } }))
  expect(spec.conversion).toEqual({ strategy: "None" })
})

// In quadratic time it takes more than a minute.
test("400,000 versions are judged in linear time", { timeout: 30_000 }, () => {
  const definition = prepared(() => {})
  const { schema } = definition.spec.versions[0]!
  const versions = Array.from({ length: 400_000 }, (_, index) => ({
    name: `v${index + 1}`,
    served: true,
    storage: index === 0,
    ...(schema && { schema }),
  }))
  expect(definitionErrors({ ...definition, spec: { ...definition.spec, versions } })).toEqual([])
})
