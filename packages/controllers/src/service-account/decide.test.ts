import type { Namespace, ServiceAccount } from "@pilothouse/api/core/v1"
import { describeOperation } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { decide } from "./controller.ts"

const wanted = ["default", "managed"]

function namespace(phase: "Active" | "Terminating"): Namespace {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" }, status: { phase } }
}

function account(name: string): ServiceAccount {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: "shop" } }
}

// Whether the namespace is new, was changed, or lost an account is all the same to the decision: upstream's thirteen cases are six.
test.each<[name: string, phase: "Active" | "Terminating", accounts: readonly string[], made: readonly string[]]>([
  ["new, updated active namespace missing serviceaccounts", "Active", [], ["default", "managed"]],
  ["new active namespace missing serviceaccount; deleted serviceaccount with active namespace", "Active", ["managed"], ["default"]],
  ["updated active namespace missing serviceaccount", "Active", ["default"], ["managed"]],
  ["new, updated active namespace with serviceaccounts; deleted unmanaged serviceaccount with active namespace", "Active", wanted, []],
  ["new, updated terminating namespace; deleted serviceaccount with terminating namespace", "Terminating", [], []],
  ["deleted unmanaged serviceaccount with terminating namespace", "Terminating", wanted, []],
])("%s", (_name, phase, accounts, made) => {
  const plan = decide({ namespace: namespace(phase), accounts: accounts.map(account) }, wanted)
  expect(plan.steps.flatMap((step) => step.operations).map(describeOperation)).toEqual(
    made.map((name) => `create ServiceAccount shop/${name}`),
  )
})
