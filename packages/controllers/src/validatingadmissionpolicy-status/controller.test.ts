import { type ValidatingAdmissionPolicy, validatingAdmissionPolicies } from "@pilothouse/api/admissionregistration/v1"
import { cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"

const only = { nodes: 0, controllers: ["validatingadmissionpolicy-status-controller"] }

type Spec = NonNullable<ValidatingAdmissionPolicy["spec"]>

function policy(validations: Spec["validations"], more: Spec = {}): ValidatingAdmissionPolicy {
  const rule = { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"] as const, resources: ["deployments"] }
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "p" },
    spec: { matchConstraints: { resourceRules: [rule] }, validations, ...more },
  }
}

async function statusOf(...[validations, more]: Parameters<typeof policy>): Promise<ValidatingAdmissionPolicy["status"]> {
  await using c = await cluster(only)
  await c.apply(policy(validations, more))
  await c.settled()
  return (await c.client.get(validatingAdmissionPolicies, "p")).status
}

describe("the status of a ValidatingAdmissionPolicy", () => {
  test("says that its expressions fit", async () => {
    const expression = "object.spec.replicas > 1 && object.spec.template.spec.containers.all(c, c.image.startsWith('x'))"
    expect(await statusOf([{ expression, messageExpression: "'expected ' + object.metadata.name" }])).toMatchObject({
      observedGeneration: 1,
      typeChecking: {},
    })
  })

  test.each([
    ["types that do not fit", "object.spec.replicas > '1'", "found no matching overload for '_>_' applied to '(int, string)'"],
    ["fields that do not exist", "object.spec.maxRetries == 1", "undefined field 'maxRetries'"],
    ["resources, which have no type", "object.spec.template.spec.containers[0].resources.limits['cpu'] == '1'", "undefined field 'limits'"],
    ["variables", "variables.replicas == 'x'", "found no matching overload for '_==_' applied to '(int, string)'"],
  ])("warns of %s", async (_what, expression, words) => {
    const status = await statusOf([{ expression }], { variables: [{ name: "replicas", expression: "object.spec.replicas" }] })
    const [warning] = status?.typeChecking?.expressionWarnings ?? []
    expect(warning?.fieldRef).toBe("spec.validations[0].expression")
    expect(warning?.warning).toMatch(/^apps\/v1, Kind=Deployment: ERROR: <input>:1:\d+: /)
    expect(warning?.warning).toContain(words)
  })

  test("checks messages too", async () => {
    const validations = [{ expression: "true", messageExpression: "object.spec.replicas + ' replicas'" }]
    expect((await statusOf(validations))?.typeChecking?.expressionWarnings).toMatchObject([
      { fieldRef: "spec.validations[0].messageExpression", warning: expect.stringContaining("'_+_' applied to '(int, string)'") },
    ])
  })

  test("has a part for each kind", async () => {
    const rules = {
      apiGroups: ["apps", "batch"],
      apiVersions: ["v1"],
      operations: ["CREATE"] as const,
      resources: ["jobs", "deployments", "jobs/status"],
    }
    const status = await statusOf([{ expression: "object.spec.nothing == 1" }], { matchConstraints: { resourceRules: [rules] } })
    const [warning] = status?.typeChecking?.expressionWarnings ?? []
    expect(warning?.warning?.match(/^\S+, Kind=\w+/gm)).toEqual(["apps/v1, Kind=Deployment", "batch/v1, Kind=Job"])
  })

  test("says nothing of rules with wildcards", async () => {
    const rules = { apiGroups: ["*"], apiVersions: ["v1"], operations: ["CREATE"] as const, resources: ["deployments"] }
    const status = await statusOf([{ expression: "object.spec.nothing == 1" }], { matchConstraints: { resourceRules: [rules] } })
    expect(status?.typeChecking).toEqual({})
  })

  test("checks params against their kind", async () => {
    const status = await statusOf([{ expression: "params.data.x == 1" }], { paramKind: { apiVersion: "v1", kind: "ConfigMap" } })
    expect(status?.typeChecking?.expressionWarnings?.[0]?.warning).toContain("'_==_' applied to '(string, int)'")
  })

  test("checks custom kinds against what their definition says", async () => {
    const properties = { spec: { type: "object", properties: { size: { type: "integer" } } } }
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "boxes.shop.example.com" },
      spec: {
        group: "shop.example.com",
        scope: "Namespaced",
        names: { kind: "Box", plural: "boxes" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties } } }],
      },
    }
    await using c = await cluster({ ...only, crds: [crd] })
    const rule = { apiGroups: ["shop.example.com"], apiVersions: ["v1"], operations: ["CREATE"] as const, resources: ["boxes"] }
    const expression = "object.metadata.labels['a'] == 'b' && object.spec.size == 'large'"
    await c.apply(policy([{ expression }], { matchConstraints: { resourceRules: [rule] } }))
    await c.settled()
    const { status } = await c.client.get(validatingAdmissionPolicies, "p")
    expect(status?.typeChecking?.expressionWarnings).toEqual([
      {
        fieldRef: "spec.validations[0].expression",
        warning: expect.stringMatching(
          /^shop.example.com\/v1, Kind=Box: ERROR: <input>:1:\d+: found no matching overload for '_==_' applied to '\(int, string\)'[^E]+$/,
        ),
      },
    ])
  })

  test("follows the generation", async () => {
    await using c = await cluster(only)
    await c.apply(policy([{ expression: "object.spec.nothing == 1" }]))
    await c.settled()
    await c.apply(policy([{ expression: "object.spec.replicas == 1" }]))
    await c.settled()
    const { status } = await c.client.get(validatingAdmissionPolicies, "p")
    expect(status?.observedGeneration).toBe(2)
    expect(status?.typeChecking?.expressionWarnings).toBeUndefined()
  })
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        await running.apply(policy([{ expression: "object.spec.replicas > '1'" }]))
        await running.advance("60s")
      },
    },
    { sample: 4, seed: 3, writers: ["validatingadmissionpolicy-status-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
