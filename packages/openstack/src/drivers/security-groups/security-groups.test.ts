import type { Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { namespaceWith, securityGroupsContract } from "./security-groups.contract.ts"
import { defaultSecurityGroups, namespaceSecurityGroups } from "./security-groups.ts"

securityGroupsContract("default", defaultSecurityGroups)
securityGroupsContract("namespace", namespaceSecurityGroups)

test("only the driver namespace goes by the annotation of the namespace", () => {
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" } } as Pod
  const namespace = namespaceWith("c, d")
  expect(namespaceSecurityGroups(["a"]).groupsFor(pod, namespace)).toEqual(["c", "d"])
  expect(defaultSecurityGroups(["a"]).groupsFor(pod, namespace)).toEqual(["a"])
})
