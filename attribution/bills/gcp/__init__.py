"""Google Cloud's billing exports."""
