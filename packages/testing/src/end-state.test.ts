import { type Descriptor, type KubeObject, methodNotAllowed, notFound, serviceUnavailable } from "@pilothouse/api"
import { deployments } from "@pilothouse/api/apps/v1"
import { describe, expect, test } from "vitest"
import type { Cluster } from "./cluster-options.ts"
import { endState } from "./end-state.ts"

/** A cluster that holds one Deployment. */
function holding(generation: number, observedGeneration: number): Pick<Cluster, "list"> {
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", generation }, status: { observedGeneration } }
  return listing((of) => Promise.resolve(of.kind === "Deployment" ? [deployment] : []))
}

function listing(list: (of: Descriptor) => Promise<readonly KubeObject[]>): Pick<Cluster, "list"> {
  return { list: list as Cluster["list"] }
}

describe("two end states", () => {
  test("are the same when the spec was written once or twice, and the status is about the last", async () => {
    expect(await endState(holding(1, 1))).toEqual(await endState(holding(2, 2)))
  })

  test("differ when one of them has a status about a spec that is over", async () => {
    expect(await endState(holding(2, 2))).not.toEqual(await endState(holding(2, 1)))
  })
})

test("conditions are the same in whatever order they turned, and others when one of them says something else", async () => {
  const having = (...conditions: readonly object[]) => {
    const one = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, status: { conditions } }
    return endState(listing((of) => Promise.resolve(of.kind === "Deployment" ? [one] : [])))
  }
  const [available, progressing] = [
    { type: "Available", status: "True" },
    { type: "Progressing", status: "True" },
  ]
  expect(await having(available, progressing)).toEqual(await having(progressing, available))
  expect(await having(available, progressing)).not.toEqual(await having(progressing, { ...available, status: "False" }))
})

test("the address that a Service drew is left out; that it has none is not", async () => {
  const having = (clusterIP: string) => {
    const one = { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { clusterIP, clusterIPs: [clusterIP] } }
    return endState(listing((of) => Promise.resolve(of.kind === "Service" ? [one] : [])))
  }
  expect(await having("10.96.0.7")).toEqual(await having("10.96.0.8"))
  expect(await having("10.96.0.7")).not.toEqual(await having("None"))
})

describe("a list that fails", () => {
  test.each([
    ["the server does not have the kind", notFound(deployments, "")],
    ["the kind cannot be listed", methodNotAllowed(deployments, "list")],
  ])("is an empty one when %s", async (_why, error) => {
    expect(await endState(listing(() => Promise.reject(error)))).toEqual([])
  })

  test("for another reason is not taken for an empty cluster", async () => {
    await expect(endState(listing(() => Promise.reject(serviceUnavailable("not now"))))).rejects.toThrow("not now")
  })
})
