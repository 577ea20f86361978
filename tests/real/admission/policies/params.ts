import type { ScenarioRequest } from "../scenarios.ts"
import { applied, create, get, mutating, type PolicyScenario, validating } from "./policy-scenario.ts"

const param = (name: string, value: string): ScenarioRequest => ({
  verb: "POST",
  path: "/configmaps",
  body: { metadata: { name, labels: { params: "yes" } }, data: { value } },
})
const widget = (name: string, value: string): ScenarioRequest => ({
  verb: "POST",
  path: "policies.example.com/v1/limits",
  body: { apiVersion: "policies.example.com/v1", kind: "Limit", metadata: { name, labels: { params: "yes" } }, spec: { value, max: 3 } },
})
const elsewhere = (name: string, value: string): ScenarioRequest => ({ ...param(name, value), path: "/../default/configmaps" })

const ofConfigMaps = { apiVersion: "v1", kind: "ConfigMap" }
const ofLimits = { apiVersion: "policies.example.com/v1", kind: "Limit" }
const validation = {
  expression: "object.metadata.name != 'c' || object.data.a == params.data.value",
  messageExpression: "'expected ' + params.data.value",
}
const ofSpec = { expression: "object.data.a == params.spec.value", messageExpression: "'expected ' + params.spec.value" }

interface Case {
  readonly paramKind?: object
  readonly paramRef?: object
  readonly params?: readonly ScenarioRequest[]
  readonly validation?: object
}

const cases: Readonly<Record<string, Case>> = {
  "by name": { paramKind: ofConfigMaps, paramRef: { name: "p" }, params: [param("p", "x")] },
  "by name, that fits": { paramKind: ofConfigMaps, paramRef: { name: "p" }, params: [param("p", "b")] },
  "by name, in its namespace": { paramKind: ofConfigMaps, paramRef: { name: "p", namespace: "{namespace}" }, params: [param("p", "x")] },
  "by name, in another namespace": {
    paramKind: ofConfigMaps,
    paramRef: { name: "{namespace}-p", namespace: "default" },
    params: [elsewhere("{namespace}-p", "x")],
  },
  "by name, missing": { paramKind: ofConfigMaps, paramRef: { name: "p" } },
  "by selector": { paramKind: ofConfigMaps, paramRef: { selector: { matchLabels: { params: "yes" } } }, params: [param("p", "x")] },
  "by selector, two that fit": {
    paramKind: ofConfigMaps,
    paramRef: { selector: { matchLabels: { params: "yes" } } },
    params: [param("p", "b"), param("q", "b")],
  },
  "by selector, one of two": {
    paramKind: ofConfigMaps,
    paramRef: { selector: { matchLabels: { params: "yes" } } },
    params: [param("p", "b"), param("q", "x")],
  },
  "by selector, none": { paramKind: ofConfigMaps, paramRef: { selector: { matchLabels: { params: "no" } } } },
  "that show their kind": {
    paramKind: ofConfigMaps,
    paramRef: { name: "p" },
    params: [param("p", "x")],
    validation: {
      expression: "params.kind == 'x'",
      messageExpression: "params.apiVersion + params.kind + params.metadata.name + params.metadata.namespace",
    },
  },
  "without a reference": { paramKind: ofConfigMaps, validation: { expression: "params != null", message: "params is null" } },
  "of a kind that does not exist": { paramKind: { apiVersion: "none.example.com/v1", kind: "None" }, paramRef: { name: "p" } },
  "of the whole cluster": {
    paramKind: { apiVersion: "v1", kind: "Namespace" },
    paramRef: { name: "{namespace}" },
    validation: { expression: "params.metadata.name == 'x'", messageExpression: "params.metadata.name" },
  },
  "of the whole cluster, with a namespace": {
    paramKind: { apiVersion: "v1", kind: "Namespace" },
    paramRef: { name: "{namespace}", namespace: "default" },
    validation: { expression: "params.metadata.name == 'x'" },
  },
  "of a custom kind": { paramKind: ofLimits, paramRef: { name: "p" }, params: [widget("p", "x")], validation: ofSpec },
  "of a custom kind, that fits": { paramKind: ofLimits, paramRef: { name: "p" }, params: [widget("p", "b")], validation: ofSpec },
  "of a custom kind, by selector": {
    paramKind: ofLimits,
    paramRef: { selector: { matchLabels: { params: "yes" } } },
    params: [widget("p", "x")],
    validation: ofSpec,
  },
  "of a custom kind, missing": { paramKind: ofLimits, paramRef: { name: "p" }, validation: ofSpec },
  "of a custom kind, with numbers": {
    paramKind: ofLimits,
    paramRef: { name: "p" },
    params: [widget("p", "b")],
    validation: {
      expression: "size(object.data) > params.spec.most",
      messageExpression: "string(params.spec.most) + string(type(params.spec.most))",
    },
  },
  "of a custom kind of the whole cluster": {
    paramKind: { apiVersion: "policies.example.com/v1", kind: "GlobalLimit" },
    paramRef: { name: "{namespace}" },
    params: [
      {
        verb: "POST",
        path: "/apis/policies.example.com/v1/globallimits",
        body: { apiVersion: "policies.example.com/v1", kind: "GlobalLimit", metadata: { name: "{namespace}" }, spec: { value: "x" } },
      },
    ],
    validation: ofSpec,
  },
}

const referenced = Object.entries(cases).flatMap(([name, { paramKind, paramRef, params = [], validation: own = validation }]) =>
  ["Deny", "Allow"].flatMap((parameterNotFoundAction) =>
    // The failure policy matters where params cannot be had.
    (params.length === 0 ? ["Fail", "Ignore"] : ["Fail"]).map(
      (failurePolicy): PolicyScenario => ({
        name: `params ${name}, ${parameterNotFoundAction}, ${failurePolicy}`,
        policies: [
          validating(
            { failurePolicy, paramKind, validations: [own] },
            { binding: paramRef && { paramRef: { parameterNotFoundAction, ...paramRef } } },
          ),
        ],
        params,
        requests: [create],
      }),
    ),
  ),
)

const two = ["x", "b"].map((value, index) => param(`p${index}`, value))
const labelling = "Object{metadata: Object.metadata{labels: {'from-' + params.metadata.name: params.data.value}}}"

export const paramScenarios: readonly PolicyScenario[] = [
  ...referenced,
  {
    name: "two bindings with a param each",
    policies: [
      {
        type: "validating",
        spec: { paramKind: ofConfigMaps, validations: [validation] },
        bindings: ["p0", "p1"].map((name) => ({ validationActions: ["Warn"], paramRef: { name, parameterNotFoundAction: "Deny" } })),
      },
    ],
    params: two,
    requests: [create],
  },
  {
    name: "a condition of params",
    policies: [
      validating(
        { paramKind: ofConfigMaps, matchConditions: [{ name: "c", expression: "params.data.value == 'x'" }], validations: [validation] },
        { binding: { paramRef: { selector: { matchLabels: { params: "yes" } }, parameterNotFoundAction: "Deny" } } },
      ),
    ],
    params: two,
    requests: [create],
  },
  {
    name: "an annotation of params",
    policies: [
      validating(
        { paramKind: ofConfigMaps, auditAnnotations: [{ key: "k", valueExpression: "params.data.nothing" }] },
        { binding: { paramRef: { name: "p0", parameterNotFoundAction: "Deny" } } },
      ),
    ],
    params: two,
    requests: [create],
  },
  ...["Deny", "Allow"].flatMap((parameterNotFoundAction) =>
    [{ name: "p0" }, { selector: { matchLabels: { params: "yes" } } }, { name: "none" }].map(
      (ref): PolicyScenario => ({
        name: `a mutation with params ${JSON.stringify(ref)}, ${parameterNotFoundAction}`,
        policies: [
          mutating(
            { paramKind: ofConfigMaps, mutations: [applied(labelling)] },
            { binding: { paramRef: { parameterNotFoundAction, ...ref } } },
          ),
        ],
        params: two,
        requests: [create, get],
      }),
    ),
  ),
]
