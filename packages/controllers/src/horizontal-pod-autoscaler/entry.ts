import { descriptor } from "../descriptor.ts"
import { countFlag, durationFlag, numberFlag } from "../flag.ts"
import { horizontalPodAutoscalerController } from "./controller.ts"

export const horizontalPodAutoscalerDescriptor = descriptor({
  name: "horizontal-pod-autoscaler-controller",
  aliases: ["horizontalpodautoscaling"],
  flags: {
    "concurrent-horizontal-pod-autoscaler-syncs": countFlag(5, "HorizontalPodAutoscalers worked on at once"),
    "horizontal-pod-autoscaler-sync-period": durationFlag("15s", "how often each HorizontalPodAutoscaler is looked at"),
    "horizontal-pod-autoscaler-downscale-stabilization": durationFlag("5m", "how long a higher recommendation keeps replicas from going"),
    "horizontal-pod-autoscaler-tolerance": numberFlag(
      0.1,
      "how far usage may be from its target, as a share of it, before anything changes",
    ),
    "horizontal-pod-autoscaler-cpu-initialization-period": durationFlag(
      "5m",
      "how long after its start the CPU use of a pod may be left out",
    ),
    "horizontal-pod-autoscaler-initial-readiness-delay": durationFlag("30s", "a pod that became unready within it was never ready"),
  },
  create: (set, { metrics }) =>
    horizontalPodAutoscalerController({
      metrics,
      concurrentSyncs: set["concurrent-horizontal-pod-autoscaler-syncs"],
      syncPeriod: set["horizontal-pod-autoscaler-sync-period"],
      downscaleStabilization: set["horizontal-pod-autoscaler-downscale-stabilization"],
      tolerance: set["horizontal-pod-autoscaler-tolerance"],
      cpuInitializationPeriod: set["horizontal-pod-autoscaler-cpu-initialization-period"],
      initialReadinessDelay: set["horizontal-pod-autoscaler-initial-readiness-delay"],
    }),
})
