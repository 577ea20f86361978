/** A project whose definitions and sample objects are read from its Go module, as it published them. */
export interface Project {
  readonly name: string
  readonly module: string
  /** The newest that a module proxy serves and that Go 1.26 reads. */
  readonly version: string
  /** Where its definitions are: folders or files in the module. */
  readonly definitions: readonly string[]
}

export const projects: readonly Project[] = [
  { name: "cert-manager", module: "github.com/cert-manager/cert-manager", version: "v1.21.2", definitions: ["deploy/crds"] },
  { name: "Argo CD", module: "github.com/argoproj/argo-cd/v3", version: "v3.5.6", definitions: ["manifests/crds"] },
  { name: "Argo Workflows", module: "github.com/argoproj/argo-workflows/v3", version: "v3.6.0", definitions: ["manifests/base/crds/full"] },
  { name: "Flux", module: "github.com/fluxcd/source-controller", version: "v1.7.0", definitions: ["config/crd/bases"] },
  { name: "Crossplane", module: "github.com/crossplane/crossplane", version: "v1.20.0", definitions: ["cluster/crds"] },
  { name: "Gateway API", module: "sigs.k8s.io/gateway-api", version: "v1.4.0", definitions: ["config/crd/experimental"] },
  {
    name: "Prometheus operator",
    module: "github.com/prometheus-operator/prometheus-operator",
    version: "v0.85.0",
    definitions: ["example/prometheus-operator-crd-full"],
  },
  { name: "Kueue", module: "sigs.k8s.io/kueue", version: "v0.14.0", definitions: ["config/components/crd/bases"] },
  {
    name: "Cluster API",
    module: "sigs.k8s.io/cluster-api",
    version: "v1.14.2",
    definitions: [
      "core/config/crd/bases",
      "bootstrap/kubeadm/config/crd/bases",
      "controlplane/kubeadm/config/crd/bases",
      "cmd/clusterctl/config/crd/bases",
    ],
  },
  { name: "Istio", module: "istio.io/api", version: "v1.31.1", definitions: ["kubernetes/customresourcedefinitions.gen.yaml"] },
  { name: "Knative", module: "knative.dev/serving", version: "v0.51.0", definitions: ["config/core/300-resources"] },
]
