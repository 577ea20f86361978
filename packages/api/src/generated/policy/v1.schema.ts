// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `policy/v1 io.k8s.api.policy.v1
Eviction: @ deleteOptions:.DeleteOptions metadata:.ObjectMeta=
PodDisruptionBudget: @ metadata:.ObjectMeta= spec:PodDisruptionBudgetSpec= status:PodDisruptionBudgetStatus=
PodDisruptionBudgetList: @ items*:]PodDisruptionBudget metadata:.ListMeta=
PodDisruptionBudgetSpec: maxUnavailable:o minAvailable:o selector:.LabelSelector&replace unhealthyPodEvictionPolicy:s<AlwaysAllow|IfHealthyBudget>
PodDisruptionBudgetStatus: conditions:(type).Condition&merge:type currentHealthy:i= desiredHealthy:i= disruptedPods:{t disruptionsAllowed:i= expectedPods:i= observedGeneration:l
`
