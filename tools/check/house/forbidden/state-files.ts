/** A constant of a module that holds something that changes. */
export interface StateFile {
  readonly file: string
  readonly name: string
  /** Why tests that share it, and two clusters in one process, cannot meet through it. */
  readonly reason: string
}

export const stateFiles: readonly StateFile[] = [
  ...["admission/webhook/plugins.ts", "validation/match-conditions.ts"].map((file) => ({
    file: `packages/apiserver/src/${file}`,
    name: "library",
    reason: "a library once it is loaded, which is a module that everything in a process shares anyway; observable only in time",
  })),
  {
    file: "packages/apiserver/src/bootstrap/local-api-services.ts",
    name: "builtIn",
    reason: "a memo of APIServices that never change, one for each group version that is built in; whether it is filled is not observable",
  },
  {
    file: "packages/apiserver/src/admission/policy/plugins.ts",
    name: "loaded",
    reason: "modules once they are loaded, which everything in a process shares anyway; observable only in time",
  },
  {
    file: "packages/cel/src/overloads/times.ts",
    name: "zoneFormats",
    reason: "a bounded memo of formats of time zones, which never change; observable only in time",
  },
  {
    file: "packages/apiserver/src/handlers/server-documents.ts",
    name: "plain",
    reason: "a memo of what servers of the same built-in kinds say of them, which is the same whichever made it; observable only in time",
  },
  {
    file: "packages/cel/src/overloads/times.ts",
    name: "zoneFormats",
    reason: "a memo of formats of time zones, which never change, of at most a hundred; observable only in time",
  },
  {
    file: "packages/cel/src/syntax/next-tokens.ts",
    name: "known",
    reason: "a memo of what can come next at the places of a grammar that never changes; whether it is filled is observable only in time",
  },
  {
    file: "packages/cel/src/values/work.ts",
    name: "current",
    reason:
      "where the evaluation under way counts its work: set and reset within one synchronous call, which no other evaluation interrupts",
  },
  {
    file: "packages/cel/src/kubernetes/admission/admission-environment.ts",
    name: "environments",
    reason: "a memo of immutable environments, eight at most; whether it is filled is not observable",
  },
  {
    file: "packages/apiserver/src/customresources/schema/rules.ts",
    name: "library",
    reason: "a library once it is loaded, which is a module that everything in a process shares anyway; observable only in time",
  },
  {
    file: "packages/apiserver/src/customresources/schema/formats/pattern.ts",
    name: "library",
    reason: "a library once it is loaded, which is a module that everything in a process shares anyway; observable only in time",
  },
  {
    file: "packages/apiserver/src/customresources/schema/formats/pattern.ts",
    name: "remembered",
    reason:
      "a memo of compiled patterns, which do not change; whether it is filled is not observable; bounded, and emptied when it is full",
  },
  {
    file: "packages/apiserver/src/managedfields/managers.ts",
    name: "decodedEntries",
    reason: "a memo of what frozen entries say, held weakly; whether it is filled is not observable",
  },
  {
    file: "packages/apiserver/src/objects/field-manager-endpoint.ts",
    name: "endpoints",
    reason: "a memo of what a resource says of its endpoints, held as long as the resource; bounded by its subresources",
  },
  {
    file: "packages/apiserver/src/managedfields/entries.ts",
    name: "lastCreates",
    reason:
      "lets creates of one shape and second share one frozen entry; which ones do is not observable; bounded, and emptied each second",
  },
  {
    file: "packages/apiserver/src/managedfields/managers.ts",
    name: "entryOfManager",
    reason: "a memo of what frozen entries say, held weakly; whether it is filled is not observable",
  },
  {
    file: "packages/apiserver/src/managedfields/shared-set.ts",
    name: "held",
    reason: "counts what the table beside it holds, so that it is bounded; not observable",
  },
  {
    file: "packages/apiserver/src/managedfields/shared-set.ts",
    name: "byText",
    reason: "lets equal frozen sets share one object; which one is not observable; bounded, and emptied when it is full",
  },
  {
    file: "packages/apiserver/src/managedfields/shared-set.ts",
    name: "shared",
    reason: "a memo of which frozen set stands for a set, held weakly; whether it is filled is not observable",
  },
  {
    file: "packages/api/src/schema/descriptor-rows.ts",
    name: "described",
    reason: "a memo of constant rows, so that a descriptor is one object wherever it was imported from; bounded by the rows there are",
  },
  {
    file: "packages/api/src/protobuf/go-form.ts",
    name: "forms",
    reason: "a memo of what constant tables say; whether it is filled is not observable; bounded by the types there are",
  },
  {
    file: "packages/api/src/protobuf/table.ts",
    name: "compiled",
    reason: "a memo of what constant tables say; whether it is filled is not observable; bounded by the messages there are",
  },
  {
    file: "packages/api/src/schemas.ts",
    name: "kinds",
    reason: "a memo of constant text; whether it is filled is not observable; bounded by the kinds there are",
  },
  {
    file: "packages/controllers/src/pvc-protection/users.ts",
    name: "remembered",
    reason: "a memo of what a cached object says, held weakly; whether it is filled is not observable",
  },
  {
    file: "packages/apiserver/src/storage/change-log.ts",
    name: "remembered",
    reason: "a memo of the size of frozen objects, held weakly; whether it is filled is not observable",
  },
  {
    file: "packages/apiserver/src/storage/change-log.ts",
    name: "hasRemembered",
    reason: "says that the memo may have an entry; whether it is set is not observable",
  },
  {
    file: "packages/api/src/quota/quota-usage.ts",
    name: "matched",
    reason: "a memo of what frozen limits say, held weakly; whether it is filled is not observable",
  },
  {
    file: "packages/controllers/src/cronjob/schedule.ts",
    name: "read",
    reason: "a memo of what texts say; whether it is filled is not observable; bounded to 1000",
  },
  {
    file: "packages/controllers/src/horizontal-pod-autoscaler/pod-metrics.ts",
    name: "factsByContext",
    reason: "a memo of what the pods of one reconcile say, kept as long as its context; whether it is filled is not observable",
  },
  {
    file: "packages/api/src/labels/label-selector.ts",
    name: "indexes",
    reason: "a memo of what a selector says, kept as long as the selector is; whether it is filled is not observable",
  },
  {
    file: "packages/api/src/labels/label-selector.ts",
    name: "selectors",
    reason: "a memo of what a frozen selector says, kept as long as that is; whether it is filled is not observable",
  },
  {
    file: "packages/controllers/src/resource-quota/enqueue.ts",
    name: "limited",
    reason: "a memo of what a frozen quota says, kept as long as that is; whether it is filled is not observable",
  },
  {
    file: "packages/controllers/src/resource-quota/enqueue.ts",
    name: "sameLimits",
    reason: "a memo of what a frozen quota says, kept as long as that is; whether it is filled is not observable",
  },
  {
    file: "packages/nodes/src/scheduler/filters/pod-affinity.ts",
    name: "memories",
    reason: "a memo of one decision's frozen observation, kept as long as that is; whether it is filled is not observable",
  },
  {
    file: "packages/nodes/src/scheduler/pod/term-index.ts",
    name: "indexes",
    reason: "a memo of a frozen list of terms, kept as long as that is; whether it is filled is not observable",
  },
  {
    file: "packages/api/src/pods/taints.ts",
    name: "indexes",
    reason: "a memo of a frozen list of tolerations, kept as long as that is; whether it is filled is not observable",
  },
  {
    file: "packages/apiserver/src/managedfields/typed/type.ts",
    name: "types",
    reason: "a memo of what a schema says, kept as long as that is; whether it is filled is not observable",
  },
  {
    file: "packages/apiserver/src/managedfields/typed/change.ts",
    name: "changes",
    reason: "lets equal changes of frozen sets share one object, held weakly; which one is not observable",
  },
  {
    file: "packages/apiserver/src/managedfields/typed/set-prefixes.ts",
    name: "unshared",
    reason: "marks frozen sets that are recreated each time, held weakly; which ones are shared is not observable but in time",
  },
  {
    file: "packages/apiserver/src/body/coerce-to-schema.ts",
    name: "coercions",
    reason: "a memo of what a schema says, kept as long as that is; whether it is filled is not observable",
  },
  {
    file: "packages/apiserver/src/managedfields/typed/set-prefixes.ts",
    name: "bound",
    reason: "counts the shared frozen sets of all schemas, to bound them; which ones are shared is not observable but in time",
  },
]
