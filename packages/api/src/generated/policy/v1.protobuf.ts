// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
@Eviction metadata!meta/v1.ObjectMeta deleteOptions?meta/v1.DeleteOptions
@PodDisruptionBudget metadata!meta/v1.ObjectMeta spec!PodDisruptionBudgetSpec status!PodDisruptionBudgetStatus
@PodDisruptionBudgetList metadata!meta/v1.ListMeta items+PodDisruptionBudget
PodDisruptionBudgetSpec minAvailable?x selector?meta/v1.LabelSelector maxUnavailable?x unhealthyPodEvictionPolicy?
PodDisruptionBudgetStatus observedGeneration.l disruptedPods%t disruptionsAllowed!i currentHealthy!i desiredHealthy!i expectedPods!i conditions*meta/v1.Condition
`
