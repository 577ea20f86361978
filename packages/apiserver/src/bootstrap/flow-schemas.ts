import type { FlowSchema, PolicyRulesWithSubjects, Subject } from "@pilothouse/api/flowcontrol/v1"
import type { AppliedStatus } from "../objects/owned-by-server.ts"

/** The managers under which upstream's parts write the configuration, and what they find out about it. */
export const flowConfigProducer = "api-priority-and-fairness-config-producer-v1"
const flowConfigConsumer = "api-priority-and-fairness-config-consumer-v1"

/** Returns what the consumer applies: whether the level of a FlowSchema is there. */
export function appliedFinding({ status = {} }: FlowSchema): AppliedStatus {
  return { manager: flowConfigConsumer, status }
}

/** Upstream's mark of objects that a newer release may change. */
export const autoupdated: Readonly<Record<string, string>> = { "apf.kubernetes.io/autoupdate-spec": "true" }

type Rule = PolicyRulesWithSubjects

interface Schema {
  readonly name: string
  readonly level: string
  readonly precedence: number
  /** How the requests of one schema are distinguished; undefined: they are not. */
  readonly by?: "ByUser" | "ByNamespace"
  readonly rule: Rule
}

const group = (name: string): Subject => ({ kind: "Group", group: { name } })
const user = (name: string): Subject => ({ kind: "User", user: { name } })
const systemAccounts: Subject = { kind: "ServiceAccount", serviceAccount: { namespace: "kube-system", name: "*" } }
const allUsers = [group("system:unauthenticated"), group("system:authenticated")]
const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"], namespaces: ["*"] }

const everything = (...subjects: readonly Subject[]): Rule => ({
  subjects,
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
})

/** In the order in which a request is held against them. */
const schemas: readonly Schema[] = [
  { name: "exempt", level: "exempt", precedence: 1, rule: everything(group("system:masters")) },
  {
    name: "probes",
    level: "exempt",
    precedence: 2,
    rule: { subjects: allUsers, nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }] },
  },
  {
    name: "system-leader-election",
    level: "leader-election",
    precedence: 100,
    by: "ByUser",
    rule: {
      subjects: [user("system:kube-controller-manager"), user("system:kube-scheduler"), systemAccounts],
      resourceRules: [{ verbs: ["get", "create", "update"], ...leases }],
    },
  },
  {
    name: "system-node-high",
    level: "node-high",
    precedence: 400,
    by: "ByUser",
    rule: {
      subjects: [group("system:nodes")],
      resourceRules: [
        { verbs: ["*"], apiGroups: [""], resources: ["nodes", "nodes/status"], clusterScope: true, namespaces: ["*"] },
        { verbs: ["*"], ...leases },
      ],
    },
  },
  { name: "system-nodes", level: "system", precedence: 500, by: "ByUser", rule: everything(group("system:nodes")) },
  ...["kube-controller-manager", "kube-scheduler"].map(
    (name): Schema => ({ name, level: "workload-high", precedence: 800, by: "ByNamespace", rule: everything(user(`system:${name}`)) }),
  ),
  { name: "kube-system-service-accounts", level: "workload-high", precedence: 900, by: "ByNamespace", rule: everything(systemAccounts) },
  { name: "service-accounts", level: "workload-low", precedence: 9000, by: "ByUser", rule: everything(group("system:serviceaccounts")) },
  { name: "global-default", level: "global-default", precedence: 9900, by: "ByUser", rule: everything(...allUsers) },
  { name: "catch-all", level: "catch-all", precedence: 10_000, by: "ByUser", rule: everything(...allUsers) },
]

/** Returns the mandatory and the suggested FlowSchemas of 1.36, each with what upstream's controller says of it. */
export function flowSchemas(now: string): readonly FlowSchema[] {
  return schemas.map(({ name, level, precedence, by, rule }) => ({
    kind: "FlowSchema",
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    metadata: { name, generation: 1, annotations: autoupdated },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: precedence,
      ...(by !== undefined && { distinguisherMethod: { type: by } }),
      rules: [rule],
    },
    status: { conditions: [found(level, now)] },
  }))
}

function found(level: string, now: string) {
  const message = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)} and it exists`
  return { type: "Dangling", status: "False", lastTransitionTime: now, reason: "Found", message }
}
