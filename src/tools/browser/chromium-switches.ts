/** How Chromium is started: without a window, without requests of its own, and without any way around the proxy. */
export function chromiumSwitches(data: string, proxy: string): readonly string[] {
  return [
    "--headless",
    "--remote-debugging-pipe",
    `--user-data-dir=${data}`,
    "--no-startup-window",
    ...network(proxy),
    ...quiet,
    ...plain,
    // As root its sandbox does not start.
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  ];
}

const network = (proxy: string): readonly string[] => [
  `--proxy-server=${proxy}`,
  "--proxy-bypass-list=<-loopback>",
  // Names are looked up by the proxy alone.
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--dns-prefetch-disable",
  "--disable-quic",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
];

const quiet: readonly string[] = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-sync",
  "--disable-breakpad",
  "--disable-crash-reporter",
  "--disable-client-side-phishing-detection",
  "--disable-search-engine-choice-screen",
  "--disable-field-trial-config",
  "--metrics-recording-only",
  "--no-pings",
  "--no-service-autorun",
  `--disable-features=${[
    "AimEnabled",
    "AutofillServerCommunication",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "CertificateTransparencyComponentUpdater",
    "DialMediaRouteProvider",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "Prerender2",
    "Translate",
  ].join(",")}`,
  "--enable-features=SkipListAccountsWithoutGaiaCookies",
];

const plain: readonly string[] = [
  "--no-first-run",
  "--no-default-browser-check",
  "--deny-permission-prompts",
  "--disable-back-forward-cache",
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  "--disable-dev-shm-usage",
  "--disable-hang-monitor",
  "--disable-prompt-on-repost",
  "--hide-scrollbars",
  "--mute-audio",
  "--password-store=basic",
  "--use-mock-keychain",
  "--force-color-profile=srgb",
];
