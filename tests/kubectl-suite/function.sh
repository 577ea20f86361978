#!/usr/bin/env bash
# One function of upstream's kubectl suite against a server that runs already: function.sh FUNCTION, in a copy of the suite.
# "setup" instead of a function writes the kubeconfig and makes the node that the suite expects.
set -o errexit -o nounset -o pipefail

source hack/lib/init.sh
source hack/lib/test.sh
source test/cmd/legacy-script.sh

# Nothing is built here, and there is no etcd.
make() { :; }
kube::etcd::start() { :; }
kube::etcd::cleanup() { :; }

# Upstream's own keeps a JUnit report; the exit code is enough here, and is ours.
record_command() {
  set +o errexit
  (
    set -o errexit -o nounset -o pipefail
    "$@"
  ) </dev/null
  exit $?
}

write_kubeconfig() {
  kubectl config set-credentials test-admin --token admin-token
  kubectl config set-cluster local --insecure-skip-tls-verify --server "https://127.0.0.1:${SECURE_API_PORT}"
  kubectl config set-context test --user test-admin --cluster local
  kubectl config use-context test
}

# Most functions make a namespace of their own; others take the one that was used last.
use_namespace() {
  kubectl create namespace between
  kubectl config set-context test --namespace=between
}

make_node() {
  local node='{"kind":"Node","apiVersion":"v1","metadata":{"name":"127.0.0.1","annotations":{"save-managers":"true"}}}'
  echo "${node}" | kubectl create -f -
  kubectl patch node 127.0.0.1 --subresource=status --type=merge -p '{"status":{"capacity":{"memory":"1Gi"}}}'
  # It has no kubelet: the controllers find that out, as they would have by the time upstream's suite comes to nodes.
  until kubectl get node 127.0.0.1 -o jsonpath='{.status.conditions[*].type}' | grep -q Ready; do sleep 0.5; done
}

if [[ "$1" == setup ]]; then
  write_kubeconfig
  use_namespace
  make_node
  exit 0
fi

kube::util::ensure-temp-dir
kube::util::ensure-gnu-sed
# runTests adds run_ and _tests to what it is asked for; two functions are not called so.
chosen="$1"
run_chosen_tests() { "${chosen}"; }
export CONTEXT=test
SUPPORTED_RESOURCES=("*")
WHAT=chosen
runTests
