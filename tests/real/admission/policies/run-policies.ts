import { stringifyJson } from "@pilothouse/seams"
import type { ApiClient } from "../../api-client.ts"
import { comparable } from "../comparable.ts"
import type { ScenarioRequest } from "../scenarios.ts"
import { mutatingScenarios } from "./mutations.ts"
import { paramScenarios } from "./params.ts"
import type { PolicyDefinition, PolicyScenario } from "./policy-scenario.ts"
import { validatingScenarios } from "./validations.ts"

export const policyScenarios: readonly PolicyScenario[] = [...validatingScenarios, ...paramScenarios, ...mutatingScenarios]

const registration = "/apis/admissionregistration.k8s.io/v1"
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

/** The kinds of custom params, which the real server's discovery must see before policies name them. */
export async function createParamKinds(client: ApiClient): Promise<void> {
  const properties = { spec: { type: "object", properties: { value: { type: "string" }, max: { type: "integer" } } } }
  for (const [kind, scope] of [
    ["Limit", "Namespaced"],
    ["GlobalLimit", "Cluster"],
  ] as const) {
    const plural = `${kind.toLowerCase()}s`
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties } } }]
    const body = {
      metadata: { name: `${plural}.policies.example.com` },
      spec: { group: "policies.example.com", scope, names: { kind, plural }, versions },
    }
    await client.object({ verb: "POST", path: definitions, body })
  }
}

/** Returns what the server says of the definitions. */
export async function registerPolicies(client: ApiClient, { policies, params = [] }: PolicyScenario, namespace: string): Promise<unknown> {
  await client.object({ verb: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } })
  for (const param of params) await client.object(requestIn(param, namespace))
  const answers: unknown[] = []
  for (const [at, policy] of policies.entries()) answers.push(...(await registerPolicy(client, policy, { at, namespace })))
  return answers
}

async function registerPolicy(
  client: ApiClient,
  { type, spec, matchConstraints, bindings }: PolicyDefinition,
  { at, namespace }: { readonly at: number; readonly namespace: string },
): Promise<readonly unknown[]> {
  const name = `${namespace}-${at}`
  const rules = { resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] }] }
  const constraints = { ...rules, namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } }, ...matchConstraints }
  const answers: unknown[] = []
  const post = async (path: string, body: object) => {
    const { status, value } = await client.send(requestIn({ verb: "POST", path: `${registration}/${path}`, body }, namespace))
    answers.push({ status, value })
  }
  await post(`${type}admissionpolicies`, { metadata: { name }, spec: { matchConstraints: constraints, ...spec } })
  for (const [index, binding] of bindings.entries()) {
    await post(`${type}admissionpolicybindings`, { metadata: { name: `${name}-${index}` }, spec: { policyName: name, ...binding } })
  }
  return answers
}

/** What the requests of a scenario came to. */
export async function policyOutcome(client: ApiClient, { requests }: PolicyScenario, namespace: string): Promise<string> {
  const answered: unknown[] = []
  for (const request of requests) {
    const { status, value, warnings } = await client.send(requestIn(request, namespace))
    // Several policies warn in any order.
    answered.push({ status, value, warnings: warnings.flatMap((text) => text.split(/, (?=299 - )/)).sort() })
  }
  return stringifyJson(comparable(answered))
}

/** Puts the namespace into a request: "/configmaps" and "apps/v1/deployments" stand in it, "/apis/…" does not. */
function requestIn(request: ScenarioRequest, namespace: string): ScenarioRequest {
  const named = JSON.parse(JSON.stringify(request).replaceAll("{namespace}", namespace)) as ScenarioRequest
  return { ...named, path: pathIn(named.path, namespace) }
}

function pathIn(path: string, namespace: string): string {
  if (path.startsWith("/api")) return path
  if (path.startsWith("/../")) return `/api/v1/namespaces/${path.slice("/../".length)}`
  if (path.startsWith("/")) return `/api/v1/namespaces/${namespace}${path}`
  const [group, version, ...rest] = path.split("/")
  return `/apis/${group}/${version}/namespaces/${namespace}/${rest.join("/")}`
}
