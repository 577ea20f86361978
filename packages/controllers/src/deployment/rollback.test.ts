import type { Deployment } from "@pilothouse/api/apps/v1"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import { context, deployment, observed, operationsOf, replicaSet, sizes } from "./testing/objects.ts"

const revision = "deployment.kubernetes.io/revision"
const request = "deprecated.deployment.rollback.to"

function asked(to: string, more: Readonly<Record<string, string>> = {}): Deployment {
  return deployment(3, { image: 3, metadata: { annotations: { [revision]: "3", [request]: to, ...more } } })
}

const sets = [replicaSet(1, 0), replicaSet(2, 0), replicaSet(3, 3)]

function rolledBack(of: Deployment) {
  const plan = decide(observed(of, sets), context)
  const [update] = operationsOf(plan)
  const next = update?.do === "update" ? (update.object as Deployment) : undefined
  const [event] = plan.events
  return {
    image: next?.spec?.template.spec?.containers[0]?.image,
    annotations: next?.metadata.annotations,
    event: `${event?.type} ${event?.reason}: ${event?.message}`,
    next,
  }
}

describe("rollback", () => {
  test.each([
    {
      name: "to a revision",
      to: "1",
      image: "example/web:1",
      event: 'Normal DeploymentRollback: Rolled back deployment "web" to revision 1',
    },
    {
      name: "0 is the one before",
      to: "0",
      image: "example/web:2",
      event: 'Normal DeploymentRollback: Rolled back deployment "web" to revision 2',
    },
    {
      name: "to one that never was",
      to: "7",
      image: "example/web:3",
      event: "Warning DeploymentRollbackRevisionNotFound: Unable to find the revision to rollback to.",
    },
    {
      name: "to the present one",
      to: "3",
      image: "example/web:3",
      event: 'Warning DeploymentRollbackTemplateUnchanged: The rollback revision contains the same template as current deployment "web"',
    },
  ])("$name", ({ to, image, event }) => {
    const found = rolledBack(asked(to))
    expect([found.image, found.event]).toEqual([image, event])
    expect(found.annotations?.[request]).toBeUndefined()
    expect(found.annotations?.[revision]).toBe("3")
  })

  test("the one before, where there is none", () => {
    const plan = decide(observed(asked("0"), [replicaSet(3, 3)]), context)
    expect(plan.events).toMatchObject([
      { type: "Warning", reason: "DeploymentRollbackRevisionNotFound", message: "Unable to find last revision." },
    ])
  })

  test("the hash stays with the ReplicaSet, its annotations come along", () => {
    const target = replicaSet(1, 0, { annotations: { "kubernetes.io/change-cause": "first" } })
    const of = asked("1", { "kubernetes.io/change-cause": "third", "kubectl.kubernetes.io/last-applied-configuration": "{}" })
    const current = replicaSet(3, 3, { annotations: { "kubernetes.io/change-cause": "third" } })
    const [update] = operationsOf(decide(observed(of, [target, current]), context))
    expect(update).toMatchObject({ do: "update", object: { spec: { template: { metadata: { labels: { app: "web" } } } } } })
    const { metadata, spec } = (update as { object: Deployment }).object
    expect(spec?.template.metadata?.labels).toEqual({ app: "web" })
    expect(metadata.annotations).toEqual({
      "kubernetes.io/change-cause": "first",
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
      [revision]: "3",
    })
  })

  test("waits until the current ReplicaSet has its revision, and until there is one (ReentrantRollback)", () => {
    const behind = replicaSet(3, 3, { annotations: { [revision]: "1" } })
    expect(operationsOf(decide(observed(asked("1"), [replicaSet(2, 0), behind]), context))).toMatchObject([
      { do: "update", object: { kind: "ReplicaSet", metadata: { annotations: { [revision]: "3" } } } },
    ])
    expect(sizes(decide(observed(asked("1"), [replicaSet(2, 0)]), context))).toEqual(["new → 3"])
  })

  test("a request that is no number is ignored", () => {
    expect(rolledBack(asked("back")).next).toBeUndefined()
  })

  test("a pause comes first", () => {
    const of = asked("1")
    expect(
      operationsOf(decide(observed({ ...of, spec: { ...of.spec!, paused: true } }, sets), context)).map((operation) => operation.do),
    ).toEqual(["status"])
  })
})
