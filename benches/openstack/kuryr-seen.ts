/**
 * What kuryr-kubernetes 10.0.0 was seen to take on such a cloud: two shared cores, Neutron 21.0.0 and Octavia 11.0.0, a kube-apiserver.
 * Stands in for what a run does not measure itself. Milliseconds, megabytes and counts.
 */
export const kuryrSeen = {
  podWritten: 1350,
  podActive: 4900,
  podFromWarmPool: 1100,
  fiftyPods: 25_600,
  fiftyPodsWarm: 8000,
  service: 30_600,
  serviceCalls: 38,
  writesPerPod: 4,
  callsPerPod: 18.5,
  readyAfter503: 118_000,
  leakedByKill: 26,
  leakedByLostAnswer: 1,
  memory: 110,
} as const
